// First include of a file of lane arithmetic for CPUs with AVX2 and FMA. All headers come before the pragma,
// so that only this project's own templates are compiled for the wider instruction set.
#pragma once
#include "model/simt/lanes/includes.h"
#define GPUPROBE_ISA avx2
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")
#endif
