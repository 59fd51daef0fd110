// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/file_limit.hpp"

#include <sys/resource.h>

namespace argosy {

void raise_file_limit() noexcept {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace argosy
