// The host's side of a measurement: the buffers' initial contents and room for the results, made while the
// driver is still busy with other things.
//
//   auto images = make_host_images(kernel);
#pragma once

#include "core/buffers.h"
#include "core/kernel.h"
#include "core/result.h"

namespace gpuprobe::cupti {

struct HostImages {
  HostBuffers initial;
  HostBuffers result;  ///< the same contents; its pages exist, so that a copy from the GPU need not make them
};

/// Errors: those of HostBuffers::initial().
Result<HostImages> make_host_images(const Kernel& kernel);

}  // namespace gpuprobe::cupti
