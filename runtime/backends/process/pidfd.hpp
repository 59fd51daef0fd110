// SPDX-License-Identifier: Apache-2.0
// Process descriptors. The header of glibc 2.36 lacks the C linkage of its functions.
#pragma once

extern "C" {
#include <sys/pidfd.h>
}
