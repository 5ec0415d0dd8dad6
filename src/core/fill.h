// Writes the initial contents of one buffer. Used by HostBuffers::initial.
#pragma once

#include <cstddef>
#include <span>

#include "core/kernel.h"
#include "core/random.h"
#include "core/result.h"

namespace gpuprobe {

/// Whether `buffer.init` can set elements of its type. Errors: kUsage naming the buffer, the init and the
/// type.
Status check_init(const Buffer& buffer);

/// Sets all elements of `buffer` in `bytes` (buffer.bytes() of them; already zero for kZeros), on several
/// threads if they are many. check_init must have passed. Errors: kUsage if a file cannot be read or has
/// another size.
Status fill(const Buffer& buffer, RandomStream random, std::span<std::byte> bytes);

}  // namespace gpuprobe
