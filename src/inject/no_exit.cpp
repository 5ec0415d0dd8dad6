// Nothing in the injected library is destroyed at exit. Threads, destructors and exit handlers of the program
// may launch kernels until the process is gone, and their callbacks use the log, the loaded tables and the
// standard library's own objects. Every file is written when a record is made, so nothing is lost.
//
// The compiler registers destructors of static objects by this function; the linker gives the library this
// one instead of the system's.
extern "C" {

// NOLINTNEXTLINE(bugprone-reserved-identifier): its name is what it is there for
__attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
}
