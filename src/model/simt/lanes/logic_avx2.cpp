#if defined(__x86_64__)
#include "model/simt/lanes/isa_avx2.h"
// The instruction set is chosen above.
#include "model/simt/lanes/logic.inc"
#endif
