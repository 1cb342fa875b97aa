// SPDX-License-Identifier: Apache-2.0
// A program of two threads that loads a library and unloads it again, and waits where it is told.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int shared = 1;
_Thread_local int own = 40;
static pthread_barrier_t both;

__attribute__((noinline)) void unloaded(int number) {
  int after = number + 1;
  shared = after;
}

__attribute__((noinline)) int waits(int number) {
  int local = number * 2;
  own += local;
  return local;
}

static void *other(void *unused) {
  int mine = waits(7);
  pthread_barrier_wait(&both);
  pthread_barrier_wait(&both);
  shared += mine;
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  char path[4096];
  const char *slash = argv[0];
  for (const char *at = argv[0]; *at; at++)
    if (*at == '/')
      slash = at + 1;
  snprintf(path, sizeof path, "%.*splugin.so", (int)(slash - argv[0]), argv[0]);
  pthread_barrier_init(&both, 0, 2);
  pthread_create(&thread, 0, other, 0);
  pthread_barrier_wait(&both);
  void *library = dlopen(path, RTLD_NOW);
  int (*plugged)(int) = library ? (int (*)(int))dlsym(library, "plugged") : waits;
  int result = plugged(argc + 2);
  if (library)
    dlclose(library);
  unloaded(result);
  if (argc > 1)
    for (;;)
      usleep(1000);
  pthread_barrier_wait(&both);
  pthread_join(thread, 0);
  return result == shared;
}
