// SPDX-License-Identifier: Apache-2.0
//
// Tells ThreadSanitizer of what Swift's own libraries do unseen, as they are not built with it:
// a Mutex that is handed over to a thread that waits for it, and a continuation that is resumed
// before its task has gone to sleep. Preloaded by scripts/sanitize; without the sanitizer it does
// nothing.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>

#define SELF __attribute__((swift_context)) void *self

// As the libraries name them: what a Mutex does when somebody else holds it, and when somebody
// waits for it.
__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
__attribute__((swiftcall)) void unlock_slow(SELF)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
// What a task does when it waits for a continuation, and when it goes on.
__attribute__((swiftasynccall)) void swift_continuation_await(void *continuation);
__attribute__((swiftcall)) void swift_task_enterThreadLocalContext(void *state);
// What a function does when an asynchronous one has returned to it.
__attribute__((swiftcall)) void swift_task_dealloc(void *room);

static __attribute__((swiftcall)) void (*real_lock_slow)(uint32_t, SELF);
static __attribute__((swiftcall)) void (*real_unlock_slow)(SELF);
static __attribute__((swiftasynccall)) void (*real_await)(void *);
static __attribute__((swiftcall)) void (*real_enter)(void *);
static __attribute__((swiftcall)) void (*real_dealloc)(void *);
static __attribute__((swiftcall)) void *(*current_task)(void);
static void (*acquire)(void *);
static void (*release)(void *);

static void ignore(void *address) {
    (void)address;
}

__attribute__((constructor)) static void find(void) {
    real_lock_slow =
        dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    real_unlock_slow = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    real_await = dlsym(RTLD_NEXT, "swift_continuation_await");
    real_enter = dlsym(RTLD_NEXT, "swift_task_enterThreadLocalContext");
    real_dealloc = dlsym(RTLD_NEXT, "swift_task_dealloc");
    current_task = dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
    acquire = dlsym(RTLD_DEFAULT, "__tsan_acquire");
    release = dlsym(RTLD_DEFAULT, "__tsan_release");
    if (acquire == 0 || release == 0) acquire = release = ignore;
}

__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF) {
    real_lock_slow(thread, self);
    acquire(self);
}

__attribute__((swiftcall)) void unlock_slow(SELF) {
    release(self);
    real_unlock_slow(self);
}

// A continuation as compiled code lays it out: a state, behind the context and its flags.
struct continuation {
    void *parent, *resume_parent;
    uintptr_t flags;
    _Atomic uintptr_t state;
};
enum { RESUMED = 2 };

// Who resumes a task tells the sanitizer; a task that finds itself resumed already does not. That can
// be before it waits, in a continuation of ours (we look, then Swift does: what comes between the two
// is missed) or in one that Swift's library made and returns from, or when it has gone through the
// motions of going to sleep and enters its thread's context again.
__attribute__((swiftasynccall)) void swift_continuation_await(void *continuation) {
    uintptr_t state = atomic_load(&((struct continuation *)continuation)->state);
    if (state == RESUMED) acquire(current_task());
    __attribute__((musttail)) return real_await(continuation);
}

__attribute__((swiftcall)) void swift_task_enterThreadLocalContext(void *state) {
    void *task = current_task();
    if (task != 0) acquire(task);
    if (real_enter != 0) real_enter(state);
}

__attribute__((swiftcall)) void swift_task_dealloc(void *room) {
    void *task = current_task();
    if (task != 0) acquire(task);
    real_dealloc(room);
}
