// Lane addresses for a measured run: hardware counters know how much an access cost, not which addresses the
// lanes used. A prediction of the same kernel does.
//
//   attach_addresses(measured, predicted);        // fills Site::worst of the accesses that both runs know
#pragma once

#include "core/run.h"

namespace gpuprobe::cli {

/// For every site of `measured` without addresses: those of the predicted site at the same line with the same
/// kind of access, if there is one; the same width first, else the one with most excess. A site whose line
/// the prediction does not know takes the line and the addresses of the only predicted one of its kind and
/// width that is left over.
void attach_addresses(Run& measured, const Run& predicted);

}  // namespace gpuprobe::cli
