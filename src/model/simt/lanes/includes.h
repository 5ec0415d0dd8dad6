// What the lane arithmetic needs, included before any instruction set is chosen.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "model/simt/block_run.h"
#include "model/simt/lanes/lanes.h"
#include "model/simt/memory.h"
#include "model/simt/warp.h"
