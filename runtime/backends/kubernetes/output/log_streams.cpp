// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/output/log_streams.hpp"

#include <algorithm>
#include <utility>

#include "runtime/backends/kubernetes/output/log_stream.hpp"
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
                                            log_start{wanted.since_ns, of.first_line_ns, tail});
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
    const auto given_up = all_.size() < rules_.count_max ? nullptr : take_place_for(at->queue);
    if (all_.size() >= rules_.count_max)
      return take(fail(ec::overloaded, "the agent reads " + std::to_string(all_.size()) +
                                           " outputs already, which is all that it may; try again "
                                           "in a minute"));
    if (given_up) {
      guard.unlock();
      end(*given_up, {ec::overloaded, "the agent reads the output of other queues; try again"});
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

}  // namespace argosy::backends
