// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/world.hpp"

#include <google/protobuf/unknown_field_set.h>

#include <iterator>
#include <sstream>
#include <utility>
#include <variant>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/check/store_check.hpp"
#include "messages/view/recovery/recovery.hpp"
#include "messages/view/writer.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/store/scan.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/integration/formats/story_0_1.hpp"
#include "tests/support/eventlog/test_key.hpp"
#include "tests/unit/queue_ledger/history_text.hpp"

namespace argosy::fuzz {

namespace {

const view::state_rules rules{};

const std::shared_ptr<const codec::log_key>& shared_key() {
  static const auto key = tests::test_key();
  return key;
}

/// The bytes of an event, as the text of what it holds.
std::string text_of(model::event_payload payload) {
  return codec::encode_event({0, {}, std::move(payload)}, true);
}

std::string describe(const ledger::cluster_core& cluster) {
  std::string out = text_of(model::cluster_joined{cluster.info()});
  out += cluster.present() ? " present " : " gone ";
  for (const auto& [name, node] : cluster.node_infos())
    out += text_of(model::nodes_changed{cluster.name(), {cluster.seen(node)}, {}});
  for (const auto& [node, cordon] : cluster.all_cordons().all())
    out += text_of(model::cordon_changed{cluster.name(), node, true, cordon.by, cordon.reason});
  for (const auto& [node, drain] : cluster.all_drains().all())
    out += text_of(model::operation_changed{drain.drain});
  return out + std::to_string(cluster.run_count());
}

/// The whole state as text, in which equal states are equal.
std::string describe(const view::recovered_state& state) {
  std::ostringstream out;
  for (const auto& [name, core] : state.queues) {
    out << "queue " << name.str() << ' ' << ledger::describe(*core);
    if (core->exists()) out << text_of(model::queue_set{*core->settings()});
    const auto& totals = core->totals();
    out << totals.succeeded << ' ' << totals.failed << ' ' << totals.preempted << ' '
        << totals.cancelled << ' ' << totals.rejected << ' ' << totals.usage_cpu_ms << '\n';
    for (const auto& [id, operation] : core->operations())
      out << text_of(model::operation_changed{operation});
  }
  for (const auto& [name, core] : state.clusters)
    out << "cluster " << name.str() << ' ' << describe(*core) << '\n';
  for (const auto& [name, policy] : *state.retry_policies.policies())
    out << text_of(model::retry_policy_set{policy});
  out << state.last_round << ' ' << state.last_call;
  for (const auto& each : state.settings_changes) out << text_of(each.change);
  return out.str();
}

void expect_sound(store::database& database) {
  view::check_report report;
  const auto txn = database.begin_read();
  const auto end = view::check_store(**txn, shared_key().get(), report);
  require(end && *end, "the store cannot be checked");
  for (const auto& found : report.findings())
    require(false, found.place + " [" + found.key + "] " + found.fault);
}

/// What is no plain letter stands as its number.
std::string readable(std::string_view bytes) {
  std::string out;
  for (const unsigned char c : bytes)
    out += c >= ' ' && c < 0x7f ? std::string(1, static_cast<char>(c))
                                : "<" + std::to_string(int{c}) + ">";
  return out;
}

void expect_equal(const std::string& a, const std::string& b, std::string_view what) {
  if (a == b) return;
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, at - a.begin() - 100));
  require(false, std::string{what} + "\n" + readable(a.substr(from, 300)) + "\n--- and\n" +
                     readable(b.substr(std::min(from, b.size()), 300)));
}

}  // namespace

const codec::log_key& world::key() {
  return *shared_key();
}

view::view_position world::empty() {
  logging::options quiet;
  quiet.minimum = logging::level::off;
  static_cast<void>(!logging::setup(quiet));
  view::view_position out;
  out.stream_created_ns = log_.info()->created_ns;
  return out;
}

world::world() : writer_(empty(), 1'000'000, shared_key()) {
  write(writer_.claim({{1}, "me", {}, "plane"}, 1));
}

/// A job that waits is not cancelled later: its queue ends it at once.
std::optional<model::event> world::follows(const model::event& event) const {
  const auto* begun = std::get_if<model::job_cancelling>(&event.payload);
  const auto queue = state_.queues.find(event.queue);
  if (begun == nullptr || queue == state_.queues.end()) return std::nullopt;
  const auto* job = queue->second->find(begun->job);
  if (job == nullptr || job->live_run() != nullptr) return std::nullopt;
  return model::event{event.time_ns, event.queue,
                      model::job_cancelled{begun->job, begun->requestor, begun->reason}};
}

void world::add(const std::vector<model::event>& events) {
  auto request = std::make_shared<native::append_request>();
  const auto apply = [&](const model::event& event) {
    auto changes = state_.apply(event, rules);
    std::move(changes.begin(), changes.end(), std::back_inserter(request->changes));
    request->events.push_back(event);
  };
  for (const auto& event : events) {
    apply(event);
    if (const auto next = follows(event)) apply(*next);
  }
  write(std::move(request));
}

void world::write(native::append_ptr request) {
  const auto& batch = writer_.begin_alone(std::move(request));
  const auto position = batch.position;
  require(log_.append(position - 1, batch.message_id, *batch.bytes).has_value(), "the log is full");
  auto txn = database_.begin_write();
  require(view::write_tail(**txn, {position, 1, batch.message_id, *batch.bytes}).has_value(),
          "the tail cannot be written");
  static_cast<void>(writer_.written_to_log());
  const auto done = writer_.written_to_tail(position);
  const auto written = view::write_batch(**txn, *done->committed, [](const auto&) {});
  require(written.has_value(), written ? "" : "the view: " + written.error().detail);
  require((*txn)->commit().has_value(), "the store cannot be written");
}

void world::expect_that_nothing_is_lost() {
  expect_sound(database_);
  view::attach_runs(state_, rules);
  const auto now = describe(state_);

  view::recovered_state restarted;
  const auto loaded = view::load_view(database_, rules, key(), restarted);
  require(loaded.has_value(), loaded ? "" : "the view is not read: " + loaded.error().detail);
  view::attach_runs(restarted, rules);
  expect_equal(now, describe(restarted), "a start from the store gives another state");

  store::memory_database empty;
  const auto recovered = view::recover(empty, log_, rules, key());
  require(recovered.has_value(), recovered ? "" : "recovery: " + recovered.error().detail);
  expect_equal(now, describe(*recovered), "a start from the log gives another state");
  expect_equal(dump(database_), dump(empty), "a start from the log gives another store");
}

std::string dump(store::database& from) {
  google::protobuf::UnknownFieldSet out;
  const auto txn = from.begin_read();
  for (std::size_t number = 0; number < store::table_names.size(); ++number) {
    const auto which = static_cast<store::table>(number);
    if (which == store::table::tail) continue;
    static_cast<void>(!store::each(**txn, which, [&](const store::entry& entry) -> result<void> {
      google::protobuf::UnknownFieldSet record;
      record.AddLengthDelimited(1, std::string{entry.key});
      record.AddLengthDelimited(2, std::string{entry.value});
      record.SerializeToString(out.AddLengthDelimited(static_cast<int>(number) + 1));
      return {};
    }));
  }
  std::string bytes;
  out.SerializeToString(&bytes);
  return bytes;
}

void restore(std::string_view dumped, store::database& to) {
  google::protobuf::UnknownFieldSet in;
  if (!in.ParseFromString(std::string{dumped})) return;
  auto txn = to.begin_write();
  for (int i = 0; i < in.field_count(); ++i) {
    const auto& each = in.field(i);
    google::protobuf::UnknownFieldSet record;
    if (each.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED ||
        static_cast<std::size_t>(each.number()) > store::table_names.size() ||
        !record.ParseFromString(each.length_delimited()))
      continue;
    std::string key;
    std::string value;
    for (int at = 0; at < record.field_count(); ++at)
      if (record.field(at).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
        (record.field(at).number() == 1 ? key : value) = record.field(at).length_delimited();
    static_cast<void>(!(*txn)->put(static_cast<store::table>(each.number() - 1), key, value));
  }
  require((*txn)->commit().has_value(), "the database is not written");
}

std::vector<std::vector<model::event>> some_story() {
  return testing::story_0_1();
}

}  // namespace argosy::fuzz
