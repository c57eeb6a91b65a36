#include "io.h"
static bool never(const char *p) { (void)p; return false; }
#define STUB(x) __attribute__((weak)) const bn_format bn_format_##x = { .name = #x, .help = "", .matches = never };
STUB(npz) STUB(planetoid) STUB(graphsaint) STUB(ogb) STUB(mtx) STUB(text)
