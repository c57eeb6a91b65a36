/* sanitized.h -- whether a sanitizer is at work, which wraps calls and reserves terabytes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BN_SANITIZED_H
#define BN_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#endif
