// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/jetstream/jetstream_log.hpp"

#include <algorithm>
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

  result<std::vector<model::log_generation>> generations() override {
    return stream_->generations();
  }

  void choose(model::log_generation generation, model::log_position base) override {
    const std::scoped_lock lock{append_mutex_, read_mutex_};
    if (stream_->generation() == generation && base_ == base) return;
    stream_->choose(generation);
    reader_.start_anew();
    base_ = base;
  }

  result<void> create() override { return stream_->ensure_stream(); }

  result<log_info> info() override {
    auto out = stream_->info();
    if (!out) return out;
    if (!out->last_position.is_zero()) {
      auto last = stream_->get(out->last_position);
      if (last)
        out->last_msg_id = std::move(last->msg_id);
      else if (last.error().code != ec::not_found)
        return fail(std::move(last.error()));
    }
    out->first_position = in_log(out->first_position);
    out->last_position = in_log(out->last_position);
    return out;
  }

  result<void> apply_limits() override { return stream_->apply_limits(); }

  result<model::log_position> last_position() override {
    if (!stream_->connected())
      return fail(ec::unreachable,
                  "cannot look at " + stream_->place() + ": the server cannot be reached");
    const auto found = stream_->info();
    if (!found) return fail(found.error());
    return in_log(found->last_position);
  }

  result<model::log_position> append(model::log_position expected_last_position,
                                     std::string_view msg_id, std::string_view data,
                                     const bus::headers& with) override {
    const std::lock_guard lock{append_mutex_};
    if (auto ok = validate(with); !ok) return fail(std::move(ok.error()));
    if (data.size() > max_record_bytes())
      return fail(ec::too_large,
                  "a record of " + std::to_string(data.size()) + " bytes is over the limit of " +
                      std::to_string(max_record_bytes()) + " of " + stream_->place());
    if (expected_last_position < base_)
      return fail(ec::fenced, stream_->place() + " begins behind " + to_string(base_));
    auto at =
        append_with_retries(in_stream(expected_last_position), std::string{msg_id}, data, with);
    if (at) *at = in_log(*at);
    return at;
  }

  result<std::vector<record>> read(model::log_position from_position, std::size_t max_records,
                                   std::size_t max_bytes, std::chrono::milliseconds wait) override {
    const std::lock_guard lock{read_mutex_};
    if (from_position <= base_)
      return fail(ec::invalid_argument, "the log begins behind record " + to_string(base_));
    auto out = reader_.read(in_stream(from_position), max_records, max_bytes, wait);
    if (out)
      for (auto& each : *out) each.position = in_log(each.position);
    return out;
  }

  result<record> get(model::log_position position) override {
    auto out = stream_->get(position < base_ ? model::log_position{} : in_stream(position));
    if (out) out->position = in_log(out->position);
    return out;
  }
  std::size_t max_record_bytes() const override { return stream_->max_record_bytes(); }
  void close() override { stream_->close(); }

 private:
  // Within the class positions are those of the stream, which begin with 1 in each generation.
  [[nodiscard]] model::log_position in_stream(model::log_position at) const { return {at - base_}; }
  [[nodiscard]] model::log_position in_log(model::log_position at) const {
    return base_ + at.value;
  }

  result<model::log_position> append_with_retries(model::log_position expected,
                                                  const std::string& msg_id, std::string_view data,
                                                  const bus::headers& with) {
    const auto until = clock::now() + settings_.append_limit;
    std::optional<js_failure> unclear;
    while (true) {
      // Without a link the library would keep the message and send it at some later time.
      if (stream_->connected()) {
        auto done = stream_->publish(expected, msg_id, data, with);
        if (done) return check_place(expected, msg_id, data, *done);
        if (done.error().code == JSStreamWrongLastSequenceErr)
          return explain_wrong_place(expected, msg_id, data);
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
    return verify(expected, msg_id, data, *unclear);
  }

  /// The server takes what has the same message id for the same record. Only the bytes tell.
  result<model::log_position> check_place(model::log_position expected, const std::string& msg_id,
                                          std::string_view data, const published& done) {
    if (done.position == expected + 1)
      return done.duplicate ? explain_wrong_place(expected, msg_id, data)
                            : result<model::log_position>{done.position};
    return fail(ec::conflict, "record '" + msg_id + "' already stands at " +
                                  to_string(done.position) + " in " + stream_->place() +
                                  ", not at " + to_string(expected + 1));
  }

  /// Called when the log does not end where it should. What stands there may be our own record,
  /// which an attempt stored whose answer was lost, if the server was restarted since.
  result<model::log_position> explain_wrong_place(model::log_position expected,
                                                  const std::string& msg_id,
                                                  std::string_view data) {
    const auto there = stream_->get(expected + 1);
    if (there && there->msg_id == msg_id && there->data == data) return expected + 1;
    // While it cannot be read, nobody knows whose record stands there.
    if (!there && there.error().code != ec::not_found) return fail(there.error());
    const auto info = stream_->info();
    if (!info) return fail(info.error());
    if (!there && info->last_position == expected)
      return fail(ec::unavailable, stream_->place() + " refused record '" + msg_id +
                                       "' though it ends where that belongs; try again");
    const bool longer = info->last_position > expected;
    return fail(longer ? ec::fenced : ec::conflict,
                stream_->place() + " ends at " + to_string(info->last_position) + ", expected " +
                    to_string(expected) +
                    (longer ? ": another writer has appended" : ": it has regressed"));
  }

  /// Called when the last attempt got no answer either. What is in the log decides then.
  result<model::log_position> verify(model::log_position expected, const std::string& msg_id,
                                     std::string_view data, const js_failure& last) {
    const auto there = stream_->get(expected + 1);
    if (there) return explain_wrong_place(expected, msg_id, data);
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
  model::log_position base_{};  ///< The position before the first record of the stream.
};

class jetstream_keeper final : public generation_keeper {
 public:
  explicit jetstream_keeper(std::unique_ptr<stream_client> streams)
      : streams_(std::move(streams)) {}
  ~jetstream_keeper() override { streams_->close(); }

  result<std::vector<generation_facts>> look() override { return streams_->look_at_all(); }

  result<void> empty(model::log_generation generation) override {
    if (auto done = streams_->give_up(generation); !done) return done;
    const auto all = streams_->look_at_all();
    if (!all) return fail(all.error());
    const auto newest = std::ranges::find_if(all->rbegin(), all->rend(),
                                             [](const auto& each) { return each.records > 0; });
    if (newest == all->rend() || newest->generation <= generation) return {};
    // The room goes to the generation that is written.
    streams_->choose(newest->generation);
    return streams_->apply_limits();
  }

  result<bool> lead_elsewhere(const std::string& server) override {
    const auto all = streams_->look_at_all();
    if (!all) return fail(all.error());
    const auto newest = std::ranges::find_if(all->rbegin(), all->rend(),
                                             [](const auto& each) { return each.records > 0; });
    if (newest == all->rend() || newest->leader != server || !newest->others_follow) return false;
    if (auto asked = streams_->choose_leader(newest->generation); !asked)
      return fail(std::move(asked.error()));
    return true;
  }

  void close() override { streams_->close(); }

 private:
  std::unique_ptr<stream_client> streams_;
};

}  // namespace

result<std::unique_ptr<event_log>> open_jetstream(const jetstream_settings& settings) {
  auto stream = stream_client::open(settings);
  if (!stream) return fail(std::move(stream.error()));
  return std::unique_ptr<event_log>{std::make_unique<jetstream_log>(settings, std::move(*stream))};
}

result<std::unique_ptr<generation_keeper>> open_keeper(const jetstream_settings& settings) {
  auto streams = stream_client::open(settings);
  if (!streams) return fail(std::move(streams.error()));
  return std::unique_ptr<generation_keeper>{
      std::make_unique<jetstream_keeper>(std::move(*streams))};
}

}  // namespace argosy::eventlog
