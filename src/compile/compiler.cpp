#include "compile/compiler.h"
