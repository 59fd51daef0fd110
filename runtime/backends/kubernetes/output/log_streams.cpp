// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/output/log_streams.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/random.hpp"
#include "runtime/kube/answers.hpp"

namespace argosy::backends {

namespace {

constexpr std::size_t own_bytes_min = std::size_t{2} << 20;
constexpr std::size_t all_bytes_max = std::size_t{64} << 20;

/// The answer to whoever waits no longer.
model::log_chunk nothing_yet(const model::log_request& wanted) {
  model::log_chunk out;
  out.next_offset = wanted.offset;
  out.position = wanted.position;
  return out;
}

/// Whether so many bytes are worth an answer. What was written already comes at once, so that many
/// small answers would only be slower; of a stream that follows is given what comes.
bool is_enough(std::size_t waiting, const model::log_request& wanted, bool follows) {
  return waiting > 0 && (follows || 2 * waiting >= wanted.size_max);
}

}  // namespace

/// One output and its reader. What it holds is guarded by the mutex of its owner, but `reading` is
/// set and ended outside of it: to end a reading waits for a call, which may wait for the
/// mutex.
struct log_streams::stream final : kube::body_reader {
  stream(log_streams& owner, const model::log_request& wanted, const log_place& from,
         const log_start& start)
      : of(owner), first(wanted), lines(from, start) {}

  bool came(std::string_view bytes) override { return of.came(*this, bytes); }
  void ended(result<kube::answer> how) override { of.ended(*this, std::move(how)); }

  log_streams& of;
  std::string id;
  model::log_request first;
  log_lines lines;
  std::string queue;  ///< The stream takes a place of this queue.
  std::string node;
  bool open = false;
  bool fresh = true;       ///< No answer was asked for yet.
  bool whole = false;      ///< The last answer came to its end.
  bool after_end = false;  ///< It was asked for after the container had ended.
  std::optional<error> wrong;
  boot_time used{};
  boot_time not_before{};
  std::optional<boot_time> followed;  ///< When the last answer that was followed to its end ended.
  struct waiting {
    model::log_request wanted;
    log_taker take;
  };
  std::optional<waiting> waits;
  std::unique_ptr<kube::watch> reading;

  /// Reads the last line, to see whether the kubelet answers.
  struct kubelet_look final : kube::body_reader {
    explicit kubelet_look(stream& from) : of(from) {}
    bool came(std::string_view) override { return true; }
    void ended(result<kube::answer> how) override { of.of.looked(of, how); }

    stream& of;
  };
  pod_place place;
  boot_time heard{};                  ///< When the kubelet gave something last.
  std::optional<boot_time> asked_at;  ///< When it was asked for the last line; it has not answered.
  std::optional<error> silence;       ///< Why nobody knows whether there is more.
  kubelet_look look{*this};
  std::unique_ptr<kube::watch> looking;  ///< As `reading`.
};

log_streams::log_streams(std::shared_ptr<kube::api> api, now_source now, kept_source kept,
                         log_stream_rules rules)
    : api_(std::move(api)),
      now_(std::move(now)),
      kept_(std::move(kept)),
      rules_(rules),
      prefix_(std::to_string(system_random{}.next())) {}

log_streams::~log_streams() {
  close();
}

std::optional<log_streams::position> log_streams::parse(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto place = parse_log_place(std::string_view{text}.substr(colon + 1));
  if (!place) return std::nullopt;
  return position{text.substr(0, colon), *place};
}

log_streams::stream_ptr log_streams::find(const std::optional<position>& at,
                                          const model::run_key& run) {
  if (!at) return nullptr;
  const auto found = all_.find(at->id);
  if (found == all_.end() || found->second->first.run != run ||
      found->second->lines.given() != at->place)
    return nullptr;
  found->second->used = now_();
  return found->second;
}

/// The next chunk, with the position behind it.
model::log_chunk log_streams::give(stream& from, const model::log_request& wanted) const {
  auto piece = from.lines.give(std::clamp(wanted.size_max, 1u, model::log_chunk_bytes_max));
  model::log_chunk out;
  out.data = std::move(piece.data);
  out.lost = std::move(piece.lost);
  out.next_offset = wanted.offset + out.data.size();
  out.position = from.id + ":" + to_text(from.lines.given());
  return out;
}

bool log_streams::serve(const model::log_request& wanted, const log_taker& take) {
  const auto at = parse(wanted.position);
  if (!at) return false;
  std::optional<model::log_chunk> chunk;
  std::optional<stream::waiting> earlier;
  std::optional<error> silence;
  {
    const std::lock_guard guard{mutex_};
    const auto from = find(at, wanted.run);
    if (from == nullptr || (from->lines.waiting() == 0 && !from->open)) return false;
    if (wanted.follow && from->lines.waiting() == 0) silence = from->silence;
    // Whoever asks again for the same has what there is.
    const bool asks_again = from->waits && from->lines.waiting() > 0;
    const bool waits = !wanted.follow && from->open && !asks_again &&
                       !is_enough(from->lines.waiting(), wanted, from->first.follow);
    if (asks_again || waits) earlier = std::exchange(from->waits, std::nullopt);
    if (waits)
      from->waits = stream::waiting{wanted, take};
    else
      chunk = give(*from, wanted);
  }
  if (silence)
    take(fail(*silence));
  else if (chunk)
    take(std::move(*chunk));
  if (earlier) earlier->take(nothing_yet(earlier->wanted));
  return true;
}

log_streams::stream_ptr log_streams::make(const model::log_request& wanted, const pod_place& of,
                                          const std::optional<position>& at) {
  const auto tail = at ? 0 : wanted.tail_lines;
  const auto out = std::make_shared<stream>(*this, wanted, at ? at->place : log_place{},
                                            log_start{wanted.since_ns, of.beginning, tail});
  out->first.tail_lines = tail;
  out->queue = of.queue;
  out->node = of.node;
  out->id = prefix_ + "-" + std::to_string(++last_id_);
  out->used = now_();
  all_.emplace(out->id, out);
  return out;
}

void log_streams::read(const model::log_request& wanted, const std::optional<pod_place>& at,
                       const log_taker& take) {
  const auto where = parse(wanted.position);
  if (!wanted.position.empty() && !where)
    return take(fail(ec::invalid_argument, "the position in the output is not one of the agent's"));
  if (serve(wanted, take)) return;
  std::unique_lock guard{mutex_};
  auto from = find(where, wanted.run);
  if (!at) {
    const bool all_came = from && from->whole && (from->after_end || from->first.follow);
    guard.unlock();
    if (where) {
      auto end = nothing_yet(wanted);
      end.end = true;
      if (!all_came) end.lost = "the pod is gone, and what it wrote after this was not read";
      return take(std::move(end));
    }
    return kept_(wanted, take);
  }
  if (from == nullptr && all_.size() >= rules_.count_max) {
    guard.unlock();
    drop_idle(rules_.idle_when_full);
    guard.lock();
    auto given_up = all_.size() < rules_.count_max ? nullptr : take_place_for(at->queue);
    if (all_.size() >= rules_.count_max)
      return take(fail(ec::overloaded, "the agent reads " + std::to_string(all_.size()) +
                                           " outputs already, which is all that it may; try again "
                                           "in a minute"));
    if (given_up) {
      guard.unlock();
      end(*given_up, {ec::overloaded, "the agent reads the output of other queues; try again"});
      // To end its look waits for a call, which may wait for the mutex.
      given_up.reset();
      guard.lock();
    }
  }
  if (from == nullptr) from = make(wanted, *at, where);
  if (const auto wrong = std::exchange(from->wrong, std::nullopt)) {
    from->fresh = true;
    guard.unlock();
    return take(fail(*wrong));
  }
  const bool ended = from->whole && (from->after_end || !wanted.follow);
  const bool pauses = !from->fresh && !at->ended && now_() < from->not_before;
  if (ended || pauses) {
    auto chunk = give(*from, wanted);
    chunk.end = ended && at->ended && from->lines.all_given();
    if (chunk.end) from->used = {};
    guard.unlock();
    return take(std::move(chunk));
  }
  std::optional<model::log_chunk> chunk;
  from->first.follow = wanted.follow;
  if (wanted.follow)
    chunk = give(*from, wanted);
  else
    from->waits = stream::waiting{wanted, take};
  from->open = true;
  from->fresh = false;
  from->whole = false;
  from->after_end = at->ended;
  from->place = *at;
  from->heard = now_();
  from->silence.reset();
  from->lines.begin_answer(from->followed ? now_() - *from->followed : boot_time::max());
  guard.unlock();
  open(from, *at);
  if (chunk) take(std::move(*chunk));
}

void log_streams::open(const stream_ptr& of, const pod_place& at) {
  const auto& first = of->first;
  auto what = output_request(at);
  auto since_ns = first.since_ns;
  {
    const std::lock_guard guard{mutex_};
    if (of->lines.taken().time_ns != 0)
      since_ns = of->lines.taken().time_ns;
    else if (first.tail_lines > 0)
      what.path += "&tailLines=" + std::to_string(first.tail_lines);
  }
  if (since_ns > 0) what.path += "&sinceTime=" + query_time(since_ns);
  if (first.follow) what.path += "&follow=true";
  of->reading.reset();
  of->reading = api_->read(std::move(what), *of);
}

/// All outputs together have a bound, of which one that is read alone may have nearly all.
std::size_t log_streams::room_of(const stream& which) const {
  std::size_t others = 0;
  for (const auto& [id, each] : all_)
    if (each.get() != &which) others += each->lines.waiting();
  return std::max(own_bytes_min, all_bytes_max - std::min(all_bytes_max, others));
}

void log_streams::learn(const model::run_key& run, const std::string& container,
                        const log_beginning& beginning) {
  const std::lock_guard guard{mutex_};
  for (const auto& [id, each] : all_)
    if (each->first.run == run && each->place.container == container) each->lines.learn(beginning);
}

bool log_streams::came(stream& to, std::string_view bytes) {
  std::optional<stream::waiting> waits;
  std::optional<model::log_chunk> chunk;
  bool goes_on = true;
  {
    const std::lock_guard guard{mutex_};
    to.lines.take(bytes);
    to.heard = now_();
    to.silence.reset();
    if (to.waits && is_enough(to.lines.waiting(), to.waits->wanted, to.first.follow)) {
      waits = std::exchange(to.waits, std::nullopt);
      chunk = give(to, waits->wanted);
    }
    // Whoever reads slowly has it asked for again from there; to let it wait would hold up all that
    // shares its connection.
    if (to.lines.is_full(room_of(to))) to.open = goes_on = false;
  }
  if (waits) waits->take(std::move(*chunk));
  return goes_on;
}

void log_streams::ended(stream& of, result<kube::answer> how) {
  std::optional<stream::waiting> waits;
  result<model::log_chunk> said = model::log_chunk{};
  bool is_gone = false;
  {
    const std::lock_guard guard{mutex_};
    of.open = false;
    of.not_before = now_() + rules_.pause;
    auto wrong = output_trouble(how, of.after_end);
    is_gone = wrong && wrong->code == ec::not_found && how && how->status != output_not_yet;
    of.whole = !wrong && how && how->ok();
    if (of.whole) of.lines.end_answer(of.first.follow);
    if (of.whole && of.first.follow) of.followed = now_();
    waits = std::exchange(of.waits, std::nullopt);
    if (waits) {
      auto chunk = give(of, waits->wanted);
      chunk.end = of.whole && of.after_end && of.lines.all_given();
      if (chunk.end) of.used = {};
      said = std::move(chunk);
      if (wrong) said = fail(*std::exchange(wrong, std::nullopt));
    }
    of.wrong = std::move(wrong);
  }
  if (!waits) return;
  if (is_gone && waits->wanted.position.empty())
    kept_(waits->wanted, waits->take);
  else
    waits->take(std::move(said));
}

log_streams::stream_ptr log_streams::take_place_for(const std::string& queue) {
  std::map<std::string, std::size_t> places;
  for (const auto& [id, each] : all_) ++places[each->queue];
  const auto most = std::ranges::max_element(places, {}, &decltype(places)::value_type::second);
  if (most == places.end() || most->second <= places[queue] + 1) return nullptr;
  auto out = all_.end();
  for (auto at = all_.begin(); at != all_.end(); ++at)
    if (at->second->queue == most->first &&
        (out == all_.end() || at->second->used < out->second->used))
      out = at;
  return all_.extract(out).mapped();
}

void log_streams::end(stream& which, const error& why) {
  which.reading.reset();
  if (which.waits) which.waits->take(fail(why));
}

void log_streams::expire() {
  answer_late();
  look_after_quiet();
  drop_idle(rules_.idle_max);
}

void log_streams::look_after_quiet() {
  std::vector<stream_ptr> quiet;
  {
    const std::lock_guard guard{mutex_};
    const auto now = now_();
    for (const auto& [id, each] : all_) {
      if (!each->open || !each->first.follow || now < each->heard + rules_.quiet_max) continue;
      if (each->asked_at && now >= *each->asked_at + rules_.quiet_max && !each->silence)
        each->silence = kubelet_late(each->node, rules_.quiet_max);
      if (each->asked_at) continue;
      each->asked_at = now;
      quiet.push_back(each);
    }
  }
  for (const auto& each : quiet) {
    auto what = output_request(each->place);
    what.path += "&tailLines=1&limitBytes=1";
    each->looking.reset();
    each->looking = api_->read(std::move(what), each->look);
  }
}

void log_streams::looked(stream& of, const result<kube::answer>& how) {
  const std::lock_guard guard{mutex_};
  of.asked_at.reset();
  of.heard = now_();
  of.silence = output_trouble(how, false);
  // An output that is gone or denied says so itself as it ends.
  if (of.silence && of.silence->code != ec::unavailable) of.silence.reset();
  if (of.silence && !of.node.empty())
    of.silence->detail =
        "the kubelet of node '" + of.node + "' gives no output: " + of.silence->detail;
}

/// A kubelet that is silent holds the answer up, and an API server that waits for it says nothing
/// of it.
void log_streams::answer_late() {
  std::vector<stream_ptr> late;
  std::vector<std::pair<stream::waiting, model::log_chunk>> given;
  {
    const std::lock_guard guard{mutex_};
    const auto now = now_();
    for (auto at = all_.begin(); at != all_.end();) {
      const auto each = at->second;
      const bool is_late = each->waits && each->used + rules_.answer_max <= now;
      if (is_late && each->lines.waiting() > 0) {
        auto waits = *std::exchange(each->waits, std::nullopt);
        auto chunk = give(*each, waits.wanted);
        given.emplace_back(std::move(waits), std::move(chunk));
      } else if (is_late) {
        late.push_back(each);
        at = all_.erase(at);
        continue;
      }
      ++at;
    }
  }
  for (auto& [waits, chunk] : given) waits.take(std::move(chunk));
  for (const auto& each : late) end(*each, kubelet_late(each->node));
}

void log_streams::drop_idle(boot_time idle_for) {
  std::vector<stream_ptr> idle;
  {
    const std::lock_guard guard{mutex_};
    const auto now = now_();
    for (auto at = all_.begin(); at != all_.end();) {
      if (!at->second->waits && at->second->used + idle_for <= now) {
        idle.push_back(at->second);
        at = all_.erase(at);
      } else {
        ++at;
      }
    }
  }
}

boot_time log_streams::next_due() const {
  const std::lock_guard guard{mutex_};
  auto out = boot_time::max();
  for (const auto& [id, each] : all_) {
    out = std::min(out, each->used + (each->waits ? rules_.answer_max : rules_.idle_max));
    if (each->open && each->first.follow && !(each->asked_at && each->silence))
      out = std::min(out, each->asked_at.value_or(each->heard) + rules_.quiet_max);
  }
  return out;
}

void log_streams::close() {
  std::map<std::string, stream_ptr> all;
  {
    const std::lock_guard guard{mutex_};
    all.swap(all_);
  }
  for (const auto& [id, each] : all) end(*each, {ec::cancelled, "the agent ends"});
}

}  // namespace argosy::backends
