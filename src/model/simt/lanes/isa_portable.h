// First include of a file of lane arithmetic for any CPU.
#pragma once
#include "model/simt/lanes/includes.h"
#define GPUPROBE_ISA portable
