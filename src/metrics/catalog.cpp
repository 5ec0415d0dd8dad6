#include "metrics/catalog.h"
