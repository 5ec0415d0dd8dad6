#include "core/buffers.h"
