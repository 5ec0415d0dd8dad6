// What a reader of a verdict must know beside it: numbers that look like faults and are none, and traffic
// that no rule could see.
#pragma once

#include <string>

#include "diagnose/context.h"

namespace gpuprobe::diagnose {

/// Clauses that begin with "; ", or "" if there is nothing to add: hardware conflict counts that are
/// arbitration, texture and bulk-copy traffic that the global counters do not cover.
std::string notes_for(const Context& context);

}  // namespace gpuprobe::diagnose
