#include "model/simt/lanes/isa_portable.h"
// The instruction set is chosen above.
#include "model/simt/lanes/logic.inc"
