// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/event_script.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace argosy::fuzz {

namespace {

constexpr std::size_t events_max = 200;

class reader {
 public:
  explicit reader(std::string_view script) : rest_(script) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  /// A number below `end`; 0 behind the end of the script.
  std::uint8_t below(unsigned end) {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return static_cast<std::uint8_t>(byte % end);
  }

  bool flag() { return below(2) == 1; }
  std::string text() { return std::array{"", "one", "two\n", "\xc3\xa4"}.at(below(4)); }
  model::queue_name queue() { return model::queue_name{std::array{"q", "r"}.at(below(2))}; }
  model::cluster_name cluster() { return model::cluster_name{std::array{"c", "d"}.at(below(2))}; }
  model::node_name node() { return model::node_name{std::array{"n", "m", ""}.at(below(3))}; }
  std::string policy() { return std::array{"once", "never"}.at(below(2)); }
  ulid id() { return ulid_from_hash(1, 0, below(6)); }
  model::run_key run() {
    const auto job = id();
    return {job, std::uint32_t{1} + below(3)};
  }
  model::run_outcome outcome() {
    model::run_outcome out;
    if (flag()) out.exit_code = below(3);
    out.reason = text();
    out.category = text();
    return out;
  }
  model::affinity_terms nodes() {
    if (!flag()) return {};
    return {{{"zone", static_cast<model::affinity_rule::op>(below(6)), {text()}}}};
  }

 private:
  std::string_view rest_;
};

std::shared_ptr<const model::job_header> header(reader& from, const model::queue_name& queue) {
  auto out = std::make_shared<model::job_header>();
  out->id = from.id();
  out->queue = queue;
  out->job_set = from.flag() ? "day" : "night";
  out->owner = from.text();
  out->client_id = from.flag() ? "mine" : "";
  out->priority = from.below(3);
  out->submitted_ns = from.below(5);
  out->held = from.flag();
  out->keep_on_disconnect = from.flag();
  model::job_shape shape;
  shape.requests = {{"cpu", 1'000 * from.below(3)}, {"memory", from.below(2)}};
  shape.priority_class = from.text();
  shape.affinity = from.nodes();
  out->shape = std::make_shared<const model::job_shape>(std::move(shape));
  if (from.flag())
    out->gang = std::make_shared<const model::gang_info>(
        model::gang_info{"g", from.below(4), from.below(4), ""});
  out->spec = std::make_shared<const std::string>("spec");
  return out;
}

model::queue_settings settings(reader& from, const model::queue_name& queue) {
  model::queue_settings out;
  out.name = queue;
  out.priority_factor = 1 + from.below(3);
  out.cordoned = from.flag();
  if (from.flag()) out.retry_policies = {from.policy()};
  return out;
}

model::operation operation(reader& from, const model::queue_name& queue) {
  model::operation out;
  out.id = from.id();
  out.kind = static_cast<model::operation_kind>(from.below(6));
  out.state = static_cast<model::operation_state>(from.below(4));
  out.queue = queue;
  out.job_set = from.text();
  out.cluster = from.cluster();
  out.node = from.node();
  out.begun_ns = from.below(100);
  out.ended_ns = from.below(100);
  out.total = from.below(4);
  out.done = from.below(4);
  return out;
}

using maker = std::function<model::event_payload(reader&, const model::queue_name&)>;

const std::vector<maker>& of_queues() {
  static const std::vector<maker> all{
      [](reader& r, const auto& queue) { return model::queue_set{settings(r, queue)}; },
      [](reader&, const auto&) { return model::queue_deleted{}; },
      [](reader& r, const auto& queue) { return model::job_submitted{header(r, queue)}; },
      [](reader& r, const auto& queue) { return model::job_submitted{header(r, queue)}; },
      [](reader& r, const auto&) {
        return model::submission_accepted{
            "key" + r.text(), r.below(3), {{r.id(), std::uint32_t{1} + r.below(3)}}};
      },
      [](reader& r, const auto&) {
        return model::job_leased{r.run(),    r.cluster(), r.node(), model::pool_name{"p"},
                                 r.below(3), r.below(3)};
      },
      [](reader& r, const auto&) { return model::run_pending{r.run()}; },
      [](reader& r, const auto&) { return model::run_running{r.run()}; },
      [](reader& r, const auto&) {
        return model::run_succeeded{r.run(), r.outcome()};
      },
      [](reader& r, const auto&) {
        return model::run_failed{r.run(), r.outcome()};
      },
      [](reader& r, const auto&) {
        return model::lease_returned{r.run(), r.text(),
                                     static_cast<model::return_cause>(r.below(7)), r.nodes()};
      },
      [](reader& r, const auto&) { return model::lease_expired{r.run()}; },
      [](reader& r, const auto&) {
        return model::run_retried{r.run(), r.outcome(), r.policy(), r.flag(), r.below(3)};
      },
      [](reader& r, const auto&) {
        return model::job_cancelling{r.id(), r.text(), r.text()};
      },
      [](reader& r, const auto&) {
        return model::job_cancelled{r.id(), r.text(), r.text()};
      },
      [](reader& r, const auto&) {
        return model::run_preempting{r.run(), r.id(), r.text(), ""};
      },
      [](reader& r, const auto&) {
        return model::job_preempted{r.run(), r.id(), r.text(), ""};
      },
      [](reader& r, const auto&) {
        return model::job_rejected{r.id(), r.text()};
      },
      [](reader& r, const auto&) {
        return model::job_reprioritized{r.id(), r.below(3), r.text()};
      },
      [](reader& r, const auto&) {
        return model::job_held{r.id(), r.text(), r.text(), r.flag()};
      },
      [](reader& r, const auto&) {
        return model::job_released{r.id(), r.text(), r.text()};
      },
      [](reader& r, const auto&) {
        return model::run_noted{r.run(), r.text(), {r.text(), {{r.below(3), r.text()}}}, {}};
      },
      [](reader& r, const auto& queue) { return model::operation_changed{operation(r, queue)}; },
  };
  return all;
}

model::event_payload joined(reader& from) {
  model::cluster_info out;
  out.name = from.cluster();
  out.backend = from.flag() ? "process" : "kubernetes";
  out.incarnation = {from.below(4)};
  out.unsettled = from.flag();
  out.lapse_since_ns = from.below(3);
  if (from.flag()) out.closed = {{"jobs", from.text(), from.text(), from.below(3)}};
  return model::cluster_joined{out};
}

model::event_payload nodes_changed(reader& from) {
  model::nodes_changed out;
  out.cluster = from.cluster();
  for (unsigned i = from.below(3); i > 0; --i) {
    auto& node = out.set.emplace_back();
    node.name = from.node();
    node.total = {{"cpu", from.below(4)}};
    node.labels = {{"zone", from.text()}};
    node.unschedulable = from.flag();
  }
  if (from.flag()) out.removed = {from.node()};
  return out;
}

model::event_payload round(reader& from) {
  model::round_decided out;
  out.number = from.below(10);
  out.pool = "p";
  out.began_ns = from.below(100);
  for (unsigned i = from.below(3); i > 0; --i) {
    auto& entry = out.carried.emplace_back();
    entry.what = static_cast<model::carried_entry::kind>(from.below(11));
    entry.pool = model::pool_name{"p"};
    entry.name = from.flag() ? "q" : "c/n";
    entry.job = from.id();
    entry.gone = from.flag();
    entry.level = from.below(4);
  }
  return out;
}

model::event_payload expired(reader& from) {
  model::history_expired out;
  out.events_before_ns = from.below(255);
  out.client_ids_before_ns = from.below(255);
  out.records_max = from.below(5);
  out.audit_before_ns = from.below(255);
  if (from.flag())
    out.ended = {{from.queue(), static_cast<model::job_state>(4 + from.below(5)), from.below(255)}};
  if (from.flag()) out.audit_numbers = {from.below(5)};
  return out;
}

const std::vector<maker>& of_control() {
  static const std::vector<maker> all{
      [](reader& r, const auto&) { return joined(r); },
      [](reader& r, const auto&) { return joined(r); },
      [](reader& r, const auto&) { return nodes_changed(r); },
      [](reader& r, const auto&) { return nodes_changed(r); },
      [](reader& r, const auto&) {
        return model::cluster_left{r.cluster(), r.text()};
      },
      [](reader& r, const auto&) {
        return model::cluster_erased{r.cluster(), {r.below(4)}};
      },
      [](reader& r, const auto&) {
        return model::cordon_changed{r.cluster(), r.node(), r.flag(), r.text(), r.text()};
      },
      [](reader& r, const auto&) { return model::operation_changed{operation(r, {})}; },
      [](reader& r, const auto&) {
        return model::retry_policy_set{{r.policy(), std::uint32_t{1} + r.below(3), {}, {}}};
      },
      [](reader& r, const auto&) { return model::retry_policy_deleted{r.policy()}; },
      [](reader& r, const auto&) { return round(r); },
      [](reader& r, const auto&) { return expired(r); },
      [](reader& r, const auto&) {
        model::call_recorded out;
        out.number = r.below(5);
        out.user = r.text();
        return out;
      },
      [](reader& r, const auto&) {
        model::settings_changed out;
        out.number = r.below(5);
        out.by = r.text();
        return out;
      },
  };
  return all;
}

}  // namespace

std::vector<std::vector<model::event>> events_of(std::string_view script) {
  reader from{script};
  std::vector<std::vector<model::event>> out;
  std::int64_t time_ns = 0;
  for (std::size_t count = 0; !from.at_end() && count < events_max; ++count) {
    const auto how = from.below(256);
    if (out.empty() || how % 4 == 0) out.emplace_back();
    time_ns += how % 8;
    const bool control = how >= 192;
    model::event event;
    event.time_ns = time_ns;
    if (!control) event.queue = from.queue();
    const auto& makers = control ? of_control() : of_queues();
    event.payload = makers[from.below(static_cast<unsigned>(makers.size()))](from, event.queue);
    out.back().push_back(std::move(event));
  }
  return out;
}

std::vector<std::string> script_seeds() {
  // The kinds of events, by their places above, as a job lives; the rest of each is zeros.
  std::vector<std::string> out;
  const auto event = [](char how, char queue, char kind, std::size_t zeros) {
    return std::string{how, queue, kind} + std::string(zeros, '\0');
  };
  const auto begin = event(1, 0, 0, 3) + event(1, 0, 2, 14) + event(4, 0, 5, 6);
  out.push_back(begin + event(1, 0, 6, 2) + event(4, 0, 7, 2) + event(1, 0, 8, 5));
  out.push_back(begin + event(1, 0, 13, 3) + event(4, 0, 14, 3));
  out.push_back(begin + event(1, 0, 10, 5) + event(4, 0, 5, 6) + event(1, 0, 12, 8));
  const auto control = [](char kind, std::size_t zeros) {
    return std::string{static_cast<char>(193), kind} + std::string(zeros, '\0');
  };
  out.push_back(control(0, 6) + control(2, 8) + control(6, 4) + control(7, 10) + control(4, 2) +
                control(5, 2) + control(8, 2) + control(10, 10) + control(12, 2) + control(13, 2));
  return out;
}

}  // namespace argosy::fuzz
