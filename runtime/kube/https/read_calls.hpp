// SPDX-License-Identifier: Apache-2.0
// The answers of a client that are read as they come. It belongs to the thread of the loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "runtime/kube/api.hpp"
#include "runtime/kube/https/curl_loop.hpp"
#include "runtime/kube/https/https_options.hpp"
#include "runtime/kube/https/sender.hpp"

namespace argosy::kube {

/// The way to a reader, which closes for good. Any thread may close it.
class reader_gate {
 public:
  explicit reader_gate(body_reader& to) : to_(to) {}

  /// Returns whether more is wanted; a reader that wants no more closes the gate.
  [[nodiscard]] bool came(std::string_view bytes);
  void ended(result<answer> how);
  /// Waits for a running call; on the thread of the calls none can run but the one within which
  /// this is called.
  void close(bool on_thread_of_calls);

 private:
  std::mutex calls_;
  std::atomic<bool> open_ = true;
  body_reader& to_;
};

class read_calls {
 public:
  /// All must outlive it.
  read_calls(curl_loop& loop, sender& sends, const https_options& options)
      : loop_(loop), sends_(sends), options_(options) {}

  void begin(std::uint64_t number, request what, std::shared_ptr<reader_gate> to);
  /// Nothing happens if there is no such call.
  void end(std::uint64_t number);

 private:
  curl_loop& loop_;
  sender& sends_;
  const https_options& options_;
  std::unordered_map<std::uint64_t, std::uint64_t> sendings_;  ///< By the number of the call.
};

}  // namespace argosy::kube
