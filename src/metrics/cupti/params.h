// CUPTI parameter structs: zeroed, with structSize set, so that no field is ever read uninitialised.
//
//   GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
//   start.pRangeProfilerObject = object;
#pragma once

#include <cstddef>
#include <cstring>

namespace gpuprobe::cupti {

template <class Params>
Params zeroed_params(std::size_t struct_size) {
  Params params;
  std::memset(&params, 0, sizeof params);
  params.structSize = struct_size;
  return params;
}

}  // namespace gpuprobe::cupti

/// Declares `name` of a CUPTI parameter struct. A macro because the size constant is named after the type.
#define GPUPROBE_CUPTI_PARAMS(Type, name) \
  Type name = ::gpuprobe::cupti::zeroed_params<Type>(Type##_STRUCT_SIZE)
