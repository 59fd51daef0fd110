// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/pod_backend.hpp"

#include <algorithm>
#include <future>
#include <set>
#include <utility>
#include <vector>

#include "runtime/backends/kubernetes/inheritance.hpp"
#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/backends/kubernetes/trouble/http_status.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/model/served_namespaces.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;
using nlohmann::json;

constexpr boot_time sleep_max = std::chrono::minutes{1};
/// The least time from one turn to the next, in which letters are gathered: each turn wakes
/// threads, and has what it tells written to the disk. The first letter after a pause does not
/// wait.
constexpr boot_time turn_min = std::chrono::milliseconds{20};

run_event refused(const model::run_key& run, const char* why, std::string message,
                  std::int64_t wall_ns) {
  return {run, run_phase::refused, {std::nullopt, 0, why, std::move(message)}, {}, wall_ns};
}

/// The pods of the namespaces that are listed, without copies of any.
std::vector<pod_view> pods_to_adopt(
    const std::map<std::pair<std::string, std::string>, pod_view>& all, const first_lists& lists,
    const std::vector<model::recorded_run>& known) {
  std::vector<pod_view> out;
  for (const auto& [name, pod] : all)
    if (!lists.is_unknown(pod.name_space)) out.push_back(pod);
  drop_copies(out, known);
  return out;
}

const logging::logger volumes_logger{"kubernetes"};

}  // namespace

void pod_backend::pods_listed(const std::string& name_space, const std::vector<json>& pods) {
  std::vector<pod_view> views;
  views.reserve(pods.size());
  for (const auto& each : pods) views.push_back(read_pod(each));
  runs_.pods_told(name_space, boot());
  if (adopted_ && !first_.is_unknown(name_space))
    return runs_.listed(name_space, std::move(views), wall(), boot());
  std::erase_if(before_, [&](const auto& each) {
    return name_space.empty() || each.first.first == name_space;
  });
  for (auto& each : views) before_[{each.name_space, each.name}] = std::move(each);
}

void pod_backend::pod_changed(kube::change what, const json& object) {
  auto pod = read_pod(object);
  if (!adopted_ || first_.is_unknown(pod.name_space)) {
    if (what == kube::change::deleted)
      before_.erase({pod.name_space, pod.name});
    else
      before_[{pod.name_space, pod.name}] = std::move(pod);
  } else if (what == kube::change::deleted) {
    runs_.gone(std::move(pod), wall(), boot());
  } else {
    runs_.seen(std::move(pod), wall(), boot());
  }
}

void pod_backend::nodes_listed(const std::vector<json>& nodes) {
  book_.nodes_listed(nodes);
  runs_.nodes_listed(nodes, boot());
  nodes_dirty();
}

void pod_backend::node_changed(kube::change what, const json& node) {
  if (what == kube::change::deleted) {
    runs_.node_gone(node, boot());
    book_.node_gone(node);
  } else {
    runs_.node_changed(node, boot());
    // What is evicted from a node that is drained must not be sent there again.
    if (book_.node_changed(node)) node_due_ = boot();
  }
  nodes_dirty();
}

model::inherited_runs pod_backend::inherit(const std::vector<model::recorded_run>& known,
                                           const std::string& control_plane) {
  model::inherited_runs out;
  static_cast<void>(run_there([&] {
    first_.begin_adoption();
    const auto pods = pods_to_adopt(before_, first_, known);
    left_.foreign = foreign_pods(pods, config_.cluster, control_plane);
    found_lack_ = find_lack();
    out = inherit_pods(pods, known, config_.cluster, control_plane);
    out.whole = first_.note_whole(out.whole);
  }));
  return out;
}

result<std::vector<run_event>> pod_backend::adopt(const std::vector<model::recorded_run>& known) {
  std::vector<run_event> events;
  const bool done = run_there([&] {
    first_.begin_adoption();
    const auto pods = pods_to_adopt(before_, first_, known);
    std::set<model::run_key> have_pods;
    for (const auto& pod : pods)
      if (pod.run) have_pods.insert(*pod.run);
    auto may_have_output = have_pods;
    for (const auto& each : known) may_have_output.insert(each.run);
    if (first_.knows_all()) saver_.keep_only(may_have_output);
    std::erase_if(before_,
                  [this](const auto& each) { return !first_.is_unknown(each.first.first); });
    const auto never_began = [this](const model::recorded_run& run) {
      return !run.began && marks_.never_started(run.run);
    };
    std::vector<model::recorded_run> settled;
    for (const auto& each : known)
      if (first_.settles(each, have_pods.contains(each.run), never_began(each)))
        settled.push_back(each);
      else if (first_.awaits(each.run))
        untold_.push_back({each.run, run_phase::accepted, {}, first_.why_unknown(), wall()});
    first_.end_adoption();
    adopted_ = true;
    // How long a pod has waited follows from times of the API server, and so from its clock.
    const auto wall_there = wall() + server_ahead_ns_;
    events = runs_.adopt(settled, pods, never_began, followed(), wall_there, boot());
    for (const auto& [path, object] : std::exchange(attached_before_, {}))
      see_attached(path, object);
    left_.has_more = first_.has_more();
  });
  if (!done) return fail(ec::cancelled, "the backend is shut down");
  return events;
}

void pod_backend::start_now(const run_launch& run) {
  const auto& order = *run.order;
  const auto refuse = [&](const char* why, std::string message) {
    untold_.push_back(refused(order.run, why, std::move(message), wall()));
  };
  take_control_plane(run.control_plane);
  if (run.find) {
    model::recorded_run earlier{order.run};
    earlier.name_space = order.name_space;
    const auto never = [](const auto&) { return false; };
    static_cast<void>(runs_.adopt({earlier}, {}, never, followed(), wall(), boot()));
    return;
  }
  if (const auto taken = runs_.place(order.run); taken && !runs_.is_open(order.run))
    return refuse(model::reason_cluster_refused,
                  "a pod '" + taken->name + "' that this agent has not made is in namespace '" +
                      taken->name_space + "', with the labels of the run");
  if (!model::serves(config_.rules.namespaces, order.name_space)) {
    refuse(model::reason_cluster_refused,
           "namespace '" + order.name_space + "' is not one of kubernetes.namespaces of the agent");
    untold_.back().outcome.category = model::refusal_to_all::name_space;
    return;
  }
  // A pod could be made there, but the agent would never hear of it.
  if (first_.is_unknown(order.name_space)) {
    refuse(model::reason_cluster_refused, "the API server does not list pods in namespace '" +
                                              order.name_space + "' for the agent");
    untold_.back().outcome.category = model::refusal_to_all::rights;
    return;
  }
  placement_rules rules{config_.cluster, config_.rules, config_.defaults};
  auto pod = place_pod(run.pod, order, run.control_plane, book_, rules);
  if (!pod)
    return refuse(pod.error().code == ec::not_found ? reason::backend_error : reason::unsupported,
                  pod.error().detail);
  auto attached = place_attached(run.attached, order, run.control_plane, rules);
  if (!attached) return refuse(reason::unsupported, attached.error().detail);
  if (config_.rules.impersonate_users)
    if (auto may = kube::may_act_as({order.owner, run.owner_groups}); !may)
      return refuse(reason::unsupported, may.error().detail);
  if (auto marked = marks_.set(order.run); !marked) {
    // It is the agent's disk, and no node of the cluster is any better or worse.
    refuse(model::reason_cluster_refused,
           "the agent cannot note the run in its data directory: " + marked.error().detail);
    untold_.back().outcome.category = model::refusal_to_all::server;
    return;
  }
  std::string bare;
  if (!config_.defaults.empty() || !config_.rules.priority_class.empty()) {
    rules.bare = true;
    const auto plain = place_pod(run.pod, order, run.control_plane, book_, rules);
    if (plain && *plain != *pod) bare = plain->dump();
  }
  launch(run, *pod, std::move(bare), *attached);
}

void pod_backend::launch(const run_launch& run, const json& pod, std::string bare,
                         const std::vector<json>& attached) {
  const kube::acting_user owner{run.order->owner, run.owner_groups};
  const auto& order = *run.order;
  std::vector<std::string> names;
  const bool is_new = !runs_.is_open(order.run);
  for (const auto& each : attached) names.emplace_back(attached_name(attached_path(each)));
  const auto go_on = [this, key = order.run, attached, owner] {
    if (attached.empty())
      runs_.release(key, boot());
    else
      attached_.launch(key, attached, owner, boot());
  };
  const bool looks = is_new && volumes_.begin({order.run, order.node, {}, go_on}, order.name_space,
                                              claims_of(pod), boot());
  runs_.launch(order, pod, std::move(bare), owner, std::move(names), looks || !attached.empty(),
               boot());
  if (is_new && !looks) go_on();
}

void pod_backend::take_control_plane(const std::string& id) {
  if (id.empty() || control_plane_ == id) return;
  control_plane_ = id;
  runs_.set_control_plane(id, boot());
  if (adopted_)
    for (const auto& [path, object] : std::exchange(attached_before_, {}))
      see_attached(path, object);
}

void pod_backend::see_attached(const std::string& path, const json& object) {
  const auto run =
      parse_run_key(object::text(object::part(object, "metadata", "labels"), pod_key::run));
  if (!run) return;
  const bool is_open = runs_.is_open(*run);
  const auto& meta = object::part(object, "metadata");
  // Whoever copies it to another namespace copies its labels.
  const auto pod = runs_.place(*run);
  if (is_open && pod && pod->name_space != object::text(meta, "namespace")) return;
  const bool is_known = adopted_ && !first_.is_unknown(object::text(meta, "namespace"));
  if (!is_known || (control_plane_.empty() && !is_open))
    attached_before_[path] = object;
  else
    attached_.seen(path, object, control_plane_, is_open, boot());
}

bool pod_backend::turn_attached() {
  attached_.tick(boot());
  auto step = attached_.take();
  for (auto& each : step.reached) runs_.set_addresses(each.run, std::move(each.addresses), wall());
  for (const auto& run : step.ready) runs_.release(run, boot());
  for (const auto& each : step.refused) runs_.refuse(each.run, each.why, boot());
  for (auto& each : step.requests)
    api_->ask(std::move(each.request),
              [this, mail = mail_, run = each.run, path = each.path](result<kube::answer> answer) {
                mail->post([this, run, path, answer = std::move(answer)] {
                  attached_.answered(run, path, answer, boot());
                });
              });
  return !step.ready.empty() || !step.refused.empty() || !step.requests.empty() ||
         !step.reached.empty();
}

void pod_backend::show_nodes() {
  node_due_ = boot_time::max();
  auto now = book_.nodes();
  std::function<void()> told;
  {
    const std::lock_guard guard{mutex_};
    if (now == nodes_) return;
    nodes_ = std::move(now);
    told = nodes_changed_;
  }
  if (told) told();
}

bool pod_backend::turn() {
  const auto letters = mail_->take();
  for (const auto& each : letters) each();
  if (boot() >= node_due_) show_nodes();
  const bool asks = turn_rights();
  const bool link_moved = turn_link();
  runs_.tick(wall(), boot());
  has_strangers_ = runs_.has_strangers();
  auto step = runs_.take();
  const bool saves = turn_outputs(step);
  for (const auto& run : step.erased) {
    marks_.erase(run);
    attached_.drop(run, boot());
    volumes_.drop(run);
    saver_.drop(run);
  }
  for (const auto& each : step.events)
    if (is_final(each.phase)) attached_.drop(each.run, boot());
  untold_.insert(untold_.end(), step.events.begin(), step.events.end());
  const bool any =
      saves || asks || link_moved || !letters.empty() || !step.requests.empty() || !untold_.empty();
  if (!untold_.empty()) sink_(std::exchange(untold_, {}));
  for (auto& each : step.requests) ask_for(std::move(each));
  const bool looked = turn_volumes();
  return turn_attached() || looked || any;
}

void pod_backend::ask_for(pod_request what) {
  what.request.server = server_;
  api_->ask(std::move(what.request), [this, mail = mail_, ask = what.what, run = what.run,
                                      followed = what.followed](result<kube::answer> answer) {
    mail->post([this, ask, run, followed, answer = std::move(answer)]() mutable {
      note_answer(answer);
      // Another cluster would say this of each pod.
      if (answer && answer->status == http_not_found && identity_.is_doubted())
        answer = fail(ec::unreachable, "it is not certain which cluster answers");
      if (followed) runs_.followed_to_its_end();
      runs_.answered(ask, run, answer, wall(), boot());
    });
  });
}

void pod_backend::advance() {
  while (turn()) {
  }
}

void pod_backend::work() {
  boot_time wait{0};
  auto next_turn = boot();
  while (mail_->wait(wait)) {
    if (const auto early = next_turn - boot(); early > boot_time{0}) mail_->gather(early);
    next_turn = boot() + turn_min;
    turn();
    const auto due = std::min({runs_.next_due(), attached_.next_due(), saver_.next_due(),
                               streams_.next_due(), node_due_, link_due()});
    wait = std::clamp(due == boot_time::max() ? sleep_max : due - boot(), boot_time{0}, sleep_max);
  }
}

bool pod_backend::run_there(const std::function<void()>& what) const {
  if (config_.manual_clock != nullptr) {
    // A test is its own thread of the backend.
    for (const auto& each : mail_->take()) each();
    what();
    return true;
  }
  std::future<void> waiting;
  {
    // The letter alone holds the task, so that the wait ends when it is dropped.
    const auto task = std::make_shared<std::packaged_task<void()>>(what);
    waiting = task->get_future();
    mail_->post([task] { (*task)(); });
  }
  try {
    waiting.get();
  } catch (const std::future_error&) {
    return false;
  }
  return true;
}

void pod_backend::shutdown() {
  streams_.close();
  mail_->close();
  if (thread_.joinable()) thread_.join();
  watches_.clear();  // No sooner: the thread may have begun to follow more.
}

bool pod_backend::turn_volumes() {
  auto step = volumes_.take();
  for (const auto& each : step.denied)
    volumes_logger.warning(
        "the agent has no right to get these, so that jobs may be tried on nodes that do not reach "
        "their volumes",
        logging::kv("what", each));
  for (const auto& each : step.found) {
    if (!runs_.is_open(each.run)) continue;
    if (const auto why = judge_reach(each.claims, each.node, book_))
      runs_.refuse(each.run, *why, boot());
    else
      each.go_on();
  }
  for (const auto& each : step.questions) {
    kube::request what;
    what.path = each.path;
    what.server = server_;
    api_->ask(std::move(what), [this, mail = mail_, each](result<kube::answer> answer) {
      mail->post([this, each, answer = std::move(answer)] {
        note_answer(answer);
        volumes_.answered(each, answer, boot());
      });
    });
  }
  return !step.found.empty() || !step.questions.empty();
}

bool pod_backend::turn_outputs(const pod_step& step) {
  for (const auto& run : step.running)
    saver_.began(run, runs_.places(run, true), wall() + server_ahead_ns_, boot());
  for (const auto& each : step.outputs) outputs_.keep(saver_.with_head(each));
  for (const auto& [run, read] : step.stopping) {
    const auto first = runs_.place(run);
    auto others = runs_.places(run, true);
    std::erase_if(others, [&, name = read](const auto& each) { return each.container == name; });
    saver_.add(run, others, first ? first->container : std::string{}, boot());
  }
  for (const auto& run : step.ended) {
    const auto first = runs_.place(run);
    if (outputs_.has(run))
      runs_.saved(run, boot());
    else
      saver_.add(run, runs_.places(run, false), first ? first->container : std::string{}, boot());
  }
  for (const auto& run : step.in_excess) saver_.hurry(run, boot());
  auto saves = saver_.take(boot());
  for (const auto& each : saves.outputs) outputs_.keep(each);
  for (const auto& each : saves.heads) {
    outputs_.keep_head(each);
    if (each.beginning.first_ns != 0) streams_.learn(each.run, each.container, each.beginning);
  }
  for (const auto& [run, container] : saves.heads_of_no_use) outputs_.drop_head(run, container);
  for (const auto& run : saves.done) runs_.saved(run, boot());
  for (auto& each : saves.requests)
    api_->ask(std::move(each.request),
              [this, mail = mail_, number = each.number](result<kube::answer> answer) {
                mail->post([this, number, answer = std::move(answer)] {
                  saver_.answered(number, answer, boot());
                });
              });
  streams_.expire();
  return !saves.requests.empty() || !saves.done.empty();
}

void pod_backend::read_now(const model::log_request& request, const log_taker& take) const {
  if (request.position == kept_position) return take(outputs_.read(request));
  auto place = runs_.place(request.run, request.container);
  std::string why;
  if (place && !place->silence.empty()) {
    why = place->silence + ", so that the output cannot be read";
  } else if (!place && !adopted_) {
    const auto gap = find_gap();
    why = "the agent of cluster '" + config_.cluster + "' has not taken its pods over yet, since " +
          (gap ? sentence(gap->why) : "it has not heard from the control plane which runs it has");
  } else if (!place && first_.awaits(request.run)) {
    why = first_.why_unknown();
  }
  if (!why.empty()) {
    if (request.position.empty())
      if (auto kept = outputs_.read(request)) return take(std::move(kept));
    return take(fail(ec::unavailable, std::move(why)));
  }
  if (place) place->beginning = saver_.beginning(request.run, place->container, boot());
  // A request without a position goes on by its offset.
  if (request.offset == 0 || !request.position.empty()) return streams_.read(request, place, take);
  if (!place) return take(outputs_.read(request));
  auto ask = output_request(*place, request);
  if (!ask) return take(fail(std::move(ask.error())));
  api_->ask(std::move(*ask),
            [this, mail = mail_, place = *place, request, take](result<kube::answer> answer) {
              mail->post([this, place, request, take, answer = std::move(answer)] {
                auto chunk = output_of(place, request, answer);
                if (!chunk && chunk.error().code == ec::not_found)
                  if (auto kept = outputs_.read(request)) chunk = std::move(kept);
                take(std::move(chunk));
              });
            });
}

void pod_backend::read_kept(const model::log_request& request, const log_taker& take) const {
  mail_->post([this, request, take] { take(outputs_.read(request)); });
}

}  // namespace argosy::backends
