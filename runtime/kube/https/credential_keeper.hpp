// SPDX-License-Identifier: Apache-2.0
// Keeps the credentials of a client at hand. What takes time, reading files and running a program,
// happens on a thread of its own; everything else belongs to the thread of the loop.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/kube/credentials/credentials.hpp"
#include "runtime/kube/https/curl_loop.hpp"

namespace argosy::kube {

class credential_keeper {
 public:
  using shared_identity = std::shared_ptr<const identity>;
  using taker = std::function<void(result<shared_identity>)>;

  /// `loop` must outlive it.
  credential_keeper(curl_loop& loop, credentials from);
  /// Ends the thread; the loop must have been stopped.
  ~credential_keeper();
  credential_keeper(const credential_keeper&) = delete;
  credential_keeper& operator=(const credential_keeper&) = delete;

  /// Gives what is good now, at once or after it was read anew.
  void get(taker take);

  /// The server answered 401 to these. Returns whether others may be better; get() reads them.
  [[nodiscard]] bool refused(const shared_identity& what);

 private:
  void renew();
  void renewed(result<identity> what);

  curl_loop& loop_;
  credentials credentials_;  ///< The other thread's while it reads.
  shared_identity held_;
  std::vector<taker> waiting_;  ///< They wait for the other thread.
  boot_time refused_at_;
  boot_time failed_at_;
  error failure_{ec::none, {}};
  std::thread thread_;
  int stop_fd_;
};

}  // namespace argosy::kube
