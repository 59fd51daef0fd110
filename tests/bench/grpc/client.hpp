// SPDX-License-Identifier: Apache-2.0
// Calls over gRPC that wait on no thread, and the requests that the benches send.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace argosy::bench {

using clock = std::chrono::steady_clock;
using channel_ptr = std::shared_ptr<::grpc::Channel>;

/// How much of what nobody has read yet a connection takes: as the library chooses, which may be
/// megabytes, or 64 KiB of each stream.
enum class ahead : bool { usual, little };

/// Opens `count` connections, each with a socket of its own.
[[nodiscard]] std::vector<channel_ptr> connect(const std::string& address, std::size_t count,
                                               ahead taken = ahead::usual);

/// A request with `count` equal jobs. They fit on no node, so that they stay queued.
[[nodiscard]] std::string submission(const std::string& queue, const std::string& job_set,
                                     std::size_t count);

/// A request for the events of a job set, from the first one on.
[[nodiscard]] std::string watch_request(const std::string& queue, const std::string& job_set,
                                        bool follow);

/// Makes a call with one answer; `done` runs on a thread of the library.
void call(const channel_ptr& on, const std::string& path, const std::string& request,
          std::function<void(const ::grpc::Status&)> done);

inline constexpr const char* submit_path = "/api.Submit/SubmitJobs";
inline constexpr const char* events_path = "/api.Event/GetJobSetEvents";

/// "p50 3.1, p99 9.0, most 12.4 ms"
[[nodiscard]] std::string spread(std::vector<double> millis);

/// Sees when the caller of this program closes its standard input, which ends what has no end.
class end_of_input {
 public:
  end_of_input();
  [[nodiscard]] bool reached() const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace argosy::bench
