// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/jetstream/jetstream_log.hpp"

#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/eventlog/jetstream/stream_client.hpp"
#include "runtime/eventlog/jetstream/tail_reader.hpp"

namespace argosy::eventlog {

namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds retry_pause{50};

class jetstream_log final : public event_log {
 public:
  jetstream_log(const jetstream_settings& settings, std::unique_ptr<stream_client> stream)
      : settings_(settings), stream_(std::move(stream)), reader_(*stream_) {}
  ~jetstream_log() override { stream_->close(); }

  result<log_info> info() override {
    auto out = stream_->info();
    if (!out && out.error().code == ec::not_found) {
      // A new stream has a new creation time, by which the caller sees what happened.
      if (auto ok = stream_->ensure_stream(); !ok) return fail(std::move(ok.error()));
      out = stream_->info();
    }
    if (!out || out->last_position == 0) return out;
    auto last = stream_->get(out->last_position);
    if (last)
      out->last_msg_id = std::move(last->msg_id);
    else if (last.error().code != ec::not_found)
      return fail(std::move(last.error()));
    return out;
  }

  result<void> apply_limits() override { return stream_->apply_limits(); }

  result<std::uint64_t> last_position() override {
    if (!stream_->connected())
      return fail(ec::unreachable,
                  "cannot look at " + stream_->place() + ": the server cannot be reached");
    const auto found = stream_->info();
    if (!found) return fail(found.error());
    return found->last_position;
  }

  result<std::uint64_t> append(std::uint64_t expected_last_position, std::string_view msg_id,
                               std::string_view data, const bus::headers& with) override {
    const std::lock_guard lock{append_mutex_};
    if (auto ok = validate(with); !ok) return fail(std::move(ok.error()));
    if (data.size() > max_record_bytes())
      return fail(ec::too_large,
                  "a record of " + std::to_string(data.size()) + " bytes is over the limit of " +
                      std::to_string(max_record_bytes()) + " of " + stream_->place());
    return append_with_retries(expected_last_position, std::string{msg_id}, data, with);
  }

  result<std::vector<record>> read(std::uint64_t from_position, std::size_t max_records,
                                   std::size_t max_bytes, std::chrono::milliseconds wait) override {
    const std::lock_guard lock{read_mutex_};
    return reader_.read(from_position, max_records, max_bytes, wait);
  }

  result<record> get(std::uint64_t position) override { return stream_->get(position); }
  std::size_t max_record_bytes() const override { return stream_->max_record_bytes(); }
  void close() override { stream_->close(); }

 private:
  result<std::uint64_t> append_with_retries(std::uint64_t expected, const std::string& msg_id,
                                            std::string_view data, const bus::headers& with) {
    const auto until = clock::now() + settings_.append_limit;
    std::optional<js_failure> unclear;
    while (true) {
      // Without a link the library would keep the message and send it at some later time.
      if (stream_->connected()) {
        auto done = stream_->publish(expected, msg_id, data, with);
        if (done) return check_place(expected, msg_id, *done);
        if (done.error().code == JSStreamWrongLastSequenceErr)
          return explain_wrong_place(expected, msg_id);
        if (!done.error().ambiguous()) return fail(stream_->explain(done.error(), "append to"));
        unclear = std::move(done.error());
      }
      if (stream_->closed())
        return fail(ec::cancelled, "cannot append to " + stream_->place() + ": it was closed");
      if (clock::now() >= until) break;
      std::this_thread::sleep_for(retry_pause);
    }
    if (!unclear)
      return fail(ec::unreachable,
                  "cannot append to " + stream_->place() + ": the server cannot be reached");
    return verify(expected, msg_id, *unclear);
  }

  result<std::uint64_t> check_place(std::uint64_t expected, const std::string& msg_id,
                                    std::uint64_t position) const {
    if (position == expected + 1) return position;
    return fail(ec::conflict, "record '" + msg_id + "' already stands at " +
                                  std::to_string(position) + " in " + stream_->place() +
                                  ", not at " + std::to_string(expected + 1));
  }

  /// Called when the log does not end where it should. What stands there may be our own record,
  /// which an attempt stored whose answer was lost, if the server was restarted since.
  result<std::uint64_t> explain_wrong_place(std::uint64_t expected, const std::string& msg_id) {
    const auto there = stream_->get(expected + 1);
    if (there && there->msg_id == msg_id) return expected + 1;
    const auto info = stream_->info();
    if (!info) return fail(info.error());
    const bool longer = info->last_position > expected;
    return fail(longer ? ec::fenced : ec::conflict,
                stream_->place() + " ends at " + std::to_string(info->last_position) +
                    ", expected " + std::to_string(expected) +
                    (longer ? ": another writer has appended" : ": it has regressed"));
  }

  /// Called when the last attempt got no answer either. What is in the log decides then.
  result<std::uint64_t> verify(std::uint64_t expected, const std::string& msg_id,
                               const js_failure& last) {
    const auto there = stream_->get(expected + 1);
    if (there && there->msg_id == msg_id) return expected + 1;
    if (there) return explain_wrong_place(expected, msg_id);
    if (const auto info = stream_->info(); !info && info.error().code == ec::not_found)
      return fail(ec::conflict, stream_->place() + " is gone");
    return fail(ec::timeout, "no answer from " + stream_->place() + " within " +
                                 std::to_string(settings_.append_limit.count()) +
                                 " ms; whether record '" + msg_id +
                                 "' was stored is unknown: " + last.text);
  }

  const jetstream_settings settings_;
  std::mutex append_mutex_;
  std::mutex read_mutex_;
  std::unique_ptr<stream_client> stream_;
  tail_reader reader_;
};

}  // namespace

result<std::unique_ptr<event_log>> open_jetstream(const jetstream_settings& settings) {
  auto stream = stream_client::open(settings);
  if (!stream) return fail(std::move(stream.error()));
  return std::unique_ptr<event_log>{std::make_unique<jetstream_log>(settings, std::move(*stream))};
}

}  // namespace argosy::eventlog
