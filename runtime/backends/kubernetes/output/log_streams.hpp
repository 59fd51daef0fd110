// SPDX-License-Identifier: Apache-2.0
// The outputs that somebody reads now. Each has one answer of the API server, which is read as it
// comes, and its bytes wait here until they are asked for. Where they went, a position says, by
// which another stream goes on: streams end when nobody asks for a while, and with the agent.
//
// Any thread may call; takers are called on the caller's thread or that of the API client.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/kubernetes/output/log_lines.hpp"
#include "runtime/backends/kubernetes/output/pod_output.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/kube/api.hpp"

namespace argosy::backends {

struct log_stream_rules {
  std::size_t count_max = 16;
  boot_time idle_max = std::chrono::seconds{30};
  /// The same when there are as many as there may be.
  boot_time idle_when_full = std::chrono::seconds{3};
  /// How long after an answer that was over the next one is asked for.
  boot_time pause = std::chrono::seconds{1};
  boot_time answer_max = output_wait;  ///< Whoever asked waits no longer.
  /// If an output that is followed says nothing for so long, its last line is asked for; its
  /// kubelet is silent if that does not come for as long again.
  std::chrono::seconds quiet_max = output_wait / 2;
};

class log_streams {
 public:
  using now_source = std::function<boot_time()>;
  /// Is asked for what is kept of an output whose pod is gone.
  using kept_source = std::function<void(const model::log_request&, const log_taker&)>;

  log_streams(std::shared_ptr<kube::api> api, now_source now, kept_source kept,
              log_stream_rules rules = {});
  ~log_streams();
  log_streams(const log_streams&) = delete;
  log_streams& operator=(const log_streams&) = delete;

  /// Answers out of what has come already. Returns false if the request has to go to read().
  [[nodiscard]] bool serve(const model::log_request& wanted, const log_taker& take);
  /// Reads on, where the output is now; nothing: the pod is gone.
  void read(const model::log_request& wanted, const std::optional<pod_place>& at,
            const log_taker& take);
  /// Tells those that read this output what is known of its beginning now.
  void learn(const model::run_key& run, const std::string& container,
             const log_beginning& beginning);
  /// Ends those that nobody has asked for, and those whose answers do not come.
  void expire();
  [[nodiscard]] boot_time next_due() const;
  /// Ends all; those that wait get ec::cancelled.
  void close();

 private:
  struct stream;
  using stream_ptr = std::shared_ptr<stream>;
  struct position {
    std::string id;
    log_place place;
  };

  [[nodiscard]] static std::optional<position> parse(const std::string& text);
  [[nodiscard]] stream_ptr find(const std::optional<position>& at, const model::run_key& run);
  [[nodiscard]] stream_ptr make(const model::log_request& wanted, const pod_place& of,
                                const std::optional<position>& at);
  [[nodiscard]] model::log_chunk give(stream& from, const model::log_request& wanted) const;
  void drop_idle(boot_time idle_for);
  void answer_late();
  /// Asks for the last line of each output that is followed and quiet: whoever follows it cannot
  /// tell a silent kubelet from a job that prints nothing.
  void look_after_quiet();
  /// Takes the answer to that.
  void looked(stream& of, const result<kube::answer>& how);
  /// Takes one out of all_ whose queue has more places than this one would have; null: there is
  /// none.
  [[nodiscard]] stream_ptr take_place_for(const std::string& queue);
  /// Ends one that is out of all_; the mutex is free.
  static void end(stream& which, const error& why);
  void open(const stream_ptr& of, const pod_place& at);
  [[nodiscard]] std::size_t room_of(const stream& which) const;
  bool came(stream& to, std::string_view bytes);
  void ended(stream& of, result<kube::answer> how);

  const std::shared_ptr<kube::api> api_;
  const now_source now_;
  const kept_source kept_;
  const log_stream_rules rules_;
  const std::string prefix_;  ///< All ids begin with it; an earlier agent had another.

  mutable std::mutex mutex_;
  std::map<std::string, stream_ptr> all_;
  std::uint64_t last_id_ = 0;
};

}  // namespace argosy::backends
