// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/unfit_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "messages/rounds/reason_text.hpp"
#include "messages/rounds/round_history.hpp"
#include "runtime/scheduling/explain/burst.hpp"
#include "runtime/scheduling/explain/capacity.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::rounds {

namespace {

/// One look finds no more, explains no more kinds of jobs, and looks at no more nodes for gangs.
constexpr std::size_t findings_max = 10'000;
constexpr std::size_t texts_max = 100;
constexpr std::size_t node_looks_max = 500'000;
constexpr std::size_t text_bytes_max = 2'000;
/// A submission is told of so many kinds of jobs.
constexpr std::size_t kinds_max = 10;
/// After a start the nodes become known one after the other.
constexpr boot_time settling_time = std::chrono::seconds{10};

std::string in_words(boot_time time) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return whole % 60 == 0 ? std::to_string(whole / 60) + " min" : std::to_string(whole) + " s";
}

struct unfit_text {
  std::string sentence;
  std::string counts;  ///< For each pool what stands in the way on how many nodes.
};

/// Goes by the nodes alone, as rounds say nothing of what never fits.
unfit_text text_of(const pool_configs& configs, const delta_fold& fold, const ulid& job,
                   const waiting_job& about) {
  const auto& from = fold.snapshot();
  std::vector<pool_facts> all;
  for (const auto& pool : configs.pools(fold)) {
    auto& facts = all.emplace_back();
    facts.pool = pool;
    facts.config = configs.of(pool);
    facts.code = scheduling::exceeded_burst(from, *facts.config, job);
    look_at_nodes(from, job, facts);
  }
  sort_by_promise(all);
  unfit_text out{sentence(about, all), {}};
  for (const auto& facts : all) {
    const auto line = pool_line(about, facts);
    if (out.counts.size() + line.size() <= text_bytes_max) out.counts += "; " + line;
  }
  return out;
}

/// The first waiting member of the gang stands for all; null if none waits.
const scheduling::job_record* first_waiting(const scheduling::tables& t, std::uint32_t gang) {
  if (gang >= t.gangs.size() || t.gangs[gang].queue == scheduling::none) return nullptr;
  for (const auto member : t.gangs[gang].members)
    if (!t.jobs[member].has_run()) return &t.jobs[member];
  return nullptr;
}

}  // namespace

struct unfit_jobs::view {
  const delta_fold& fold;
  const pool_configs& configs;
  std::int64_t now_ns;
  boot_time now;
  absl::flat_hash_map<ulid, boot_time> since{};
  std::map<model::queue_name, ledger::unfit_findings> found{};
  /// Whether jobs that stay blocked have to be looked at.
  bool may_release = false;
  std::size_t left = findings_max;
  std::map<scheduling::job_kind, unfit_text> texts{};

  [[nodiscard]] const scheduling::tables& tables() const { return fold.snapshot().data(); }
  /// Null when enough kinds were explained.
  [[nodiscard]] const unfit_text* text(const ulid& job, const model::queue_name& queue) {
    const auto kind = scheduling::kind_of(fold.snapshot(), job);
    if (!kind) return nullptr;
    const auto known = texts.find(*kind);
    if (known != texts.end()) return &known->second;
    if (texts.size() == texts_max) return nullptr;
    const waiting_job about{queue, kind->second != scheduling::none};
    return &texts.emplace(*kind, text_of(configs, fold, job, about)).first->second;
  }
};

boot_time unfit_jobs::period() const {
  return std::clamp<boot_time>(rules_.after / 10, std::chrono::milliseconds{100},
                               std::chrono::seconds{1});
}

/// Members that come or go change what fits together, and so do nodes, for all gangs.
void unfit_jobs::suspect_gangs(delta_fold& fold) {
  suspects_.merge(fold.placing().take_changed_gangs());
  if (fold.placing().take_new_blocks()) is_cut_short_ = true;
  if (std::exchange(node_version_, fold.placing().node_version()) == fold.placing().node_version())
    return;
  is_cut_short_ = true;
  const auto count = fold.snapshot().data().gangs.size();
  for (std::uint32_t gang = 0; gang < count; ++gang) suspects_.insert(suspects_.end(), gang);
}

void unfit_jobs::look_at_gangs(const view& of) {
  if (suspects_.empty()) return;
  const auto& t = of.tables();
  const auto names = of.configs.pools(of.fold);
  std::vector<scheduling::pool_capacity> pools;
  std::size_t nodes = 0;
  for (const auto& name : names) {
    pools.emplace_back(of.fold.snapshot(), *of.configs.of(name), name);
    nodes += pools.back().nodes();
  }
  // Gangs of one kind fit alike.
  using gang_kind = std::tuple<scheduling::shape_counts, std::uint32_t, std::uint32_t>;
  std::map<gang_kind, bool> known;
  for (auto looks = node_looks_max; !suspects_.empty();) {
    const auto gang = *suspects_.begin();
    const auto* first = first_waiting(t, gang);
    bool fits = true;
    if (first != nullptr && of.fold.placing().could_run(of.fold.snapshot(), first->id)) {
      const auto job = *of.fold.snapshot().find_job(first->id);
      auto members = scheduling::waiting_members(of.fold.snapshot(), gang);
      const auto cost = std::max<std::size_t>(1, nodes * members.size());
      const auto least =
          scheduling::least_together(of.fold.snapshot(), *of.configs.of(names.front()), job);
      const auto [at, is_new] =
          known.try_emplace(gang_kind{std::move(members), first->gang_terms, least}, true);
      if (is_new && looks < node_looks_max && cost > looks) return;
      if (is_new) looks -= std::min(looks, cost);
      if (is_new)
        at->second = std::ranges::any_of(
            pools, [&](const auto& pool) { return !pool.why_never(first->id); });
      fits = at->second;
    }
    suspects_.erase(suspects_.begin());
    if (fits)
      unfit_gangs_.erase(gang);
    else
      unfit_gangs_.insert(gang);
  }
}

bool unfit_jobs::is_unfit(const view& of, const ulid& job, std::uint32_t gang) const {
  return !of.fold.placing().could_run(of.fold.snapshot(), job) ||
         (gang != scheduling::none && unfit_gangs_.contains(gang));
}

void unfit_jobs::judge(view& of, const ulid& job, const model::queue_name& queue,
                       std::int64_t blocked_ns) {
  using ledger::unfit_way;
  if (blocked_ns != 0 && rules_.way == unfit_way::hold && !of.may_release) return;
  if (of.left == 0) {
    if (const auto known = since_.find(job); known != since_.end()) of.since.insert(*known);
    return;
  }
  const auto number = of.fold.snapshot().find_job(job);
  if (!number) return;
  const auto gang = of.tables().jobs[*number].gang;
  if (gang != scheduling::none) {
    const auto* first = first_waiting(of.tables(), gang);
    if (first == nullptr || first->id != job || suspects_.contains(gang)) return;
  }
  const bool unfit = is_unfit(of, job, gang);
  if (!unfit || rules_.way == unfit_way::wait) {
    if (blocked_ns == 0) return;
    of.found[queue].release.push_back(job);
    --of.left;
    return;
  }
  const bool to_reject = blocked_ns != 0;
  const auto live = of.fold.find(job);
  const auto* header = live ? live->header : nullptr;
  const bool may_reject =
      rules_.way == unfit_way::reject && header != nullptr && !header->hold_if_unfit;
  if (to_reject && !may_reject) return;
  const auto known = since_.find(job);
  const auto since = known == since_.end() ? of.now : known->second;
  of.since.emplace(job, since);
  if (to_reject && of.now_ns - blocked_ns < rules_.after.count()) return;
  if (of.now - since < (to_reject ? std::min(rules_.after, settling_time) : period())) return;
  const auto* text = of.text(job, queue);
  if (text == nullptr) return;
  auto& findings = of.found[queue];
  if (to_reject)
    findings.reject.push_back({job, text->sentence + text->counts});
  else
    findings.block.push_back({job, text->sentence});
  --of.left;
}

std::map<model::queue_name, ledger::unfit_findings> unfit_jobs::look(delta_fold& fold,
                                                                     const pool_configs& configs,
                                                                     std::int64_t now_ns,
                                                                     boot_time now) {
  // A node that has come but is not settled may save a job.
  is_put_off_ = now - last_look_ < period() || !fold.placing().is_settled();
  if (is_put_off_) return {};
  last_look_ = now;
  if (fold.pools().empty()) {
    since_.clear();
    return {};
  }
  suspect_gangs(fold);
  view of{fold, configs, now_ns, now};
  of.may_release = is_cut_short_ || !suspects_.empty();
  look_at_gangs(of);
  for (const auto& [job, entry] : fold.placing().unfit())
    judge(of, job, entry.queue, entry.blocked_ns);
  for (const auto gang : unfit_gangs_) {
    const auto* first = first_waiting(of.tables(), gang);
    if (first == nullptr || fold.placing().unfit().contains(first->id)) continue;
    judge(of, first->id, model::queue_name{of.tables().queues[first->queue].name}, 0);
  }
  is_cut_short_ = of.left == 0;
  since_ = std::move(of.since);
  return std::move(of.found);
}

namespace {

using header_list = std::vector<std::shared_ptr<const model::job_header>>;

/// The jobs of a submission that somebody has to look at, and of each kind one.
struct asked_kinds {
  struct kind {
    ulid job;
    bool in_gang = false;
    bool is_whole = true;  ///< The others of a gang may come with another submission.
  };
  header_list jobs;
  std::vector<kind> kinds;
};

asked_kinds kinds_of(const delta_fold& fold, const header_list& jobs) {
  asked_kinds out;
  std::set<std::pair<const model::job_shape*, std::string_view>> seen;
  std::map<std::string_view, header_list> gangs;
  for (const auto& job : jobs) {
    if (job->gang) {
      gangs[job->gang->id].push_back(job);
    } else if (seen.emplace(job->shape.get(), job->name_space).second &&
               out.kinds.size() < kinds_max && !fold.is_known_to_fit(*job)) {
      out.jobs.push_back(job);
      out.kinds.push_back({job->id});
    }
  }
  for (const auto& [id, members] : gangs) {
    if (out.kinds.size() == kinds_max) break;
    const auto& first = *members.front();
    out.jobs.insert(out.jobs.end(), members.begin(), members.end());
    out.kinds.push_back({first.id, true, members.size() >= first.gang->cardinality});
  }
  return out;
}

struct pool_to_ask {
  model::pool_name name;
  pool_configs::config_ptr config;
  scheduling::pool_capacity capacity;
};

struct never_text {
  std::string sentence{};
  bool is_unfit = false;  ///< No pool could take it. Otherwise limits of rates never let it start.
};

/// Says why no pool could start jobs of the kind; nothing if some pool could.
std::optional<never_text> why_never(const std::vector<pool_to_ask>& pools,
                                    const scheduling::snapshot& trial,
                                    const asked_kinds::kind& kind) {
  std::vector<pool_facts> all;
  bool is_unfit = kind.is_whole;
  for (const auto& pool : pools) {
    auto& facts = all.emplace_back();
    facts.pool = pool.name;
    facts.config = pool.config;
    facts.code = scheduling::exceeded_burst(trial, *pool.config, kind.job);
    auto why = kind.is_whole ? pool.capacity.why_never(kind.job) : std::nullopt;
    if (!why && !facts.code) return {};
    is_unfit = is_unfit && why;
    if (!why) continue;
    facts.ever = false;
    facts.counts = std::move(why->counts);
    facts.gang = std::move(why->gang);
  }
  return never_text{sentence({{}, kind.in_gang}, all), is_unfit};
}

std::string what_becomes_of(const ledger::unfit_rules& rules) {
  switch (rules.way) {
    case ledger::unfit_way::reject:
      return "unless such a node comes within " + in_words(rules.after) +
             ", the job is rejected, or held if it has the annotation argosy.io/onNeverFits: hold";
    case ledger::unfit_way::hold:
      return "the job is held until such a node comes";
    case ledger::unfit_way::wait:
      break;
  }
  return "the job waits until such a node comes";
}

}  // namespace

std::string unfit_note(const delta_fold& fold, const pool_configs& configs,
                       const ledger::unfit_rules& rules, const header_list& jobs) {
  if (fold.pools().empty()) return {};
  const auto asked = kinds_of(fold, jobs);
  if (asked.kinds.empty()) return {};
  const auto trial = fold.trial_of(asked.jobs);
  std::vector<pool_to_ask> pools;
  for (auto& name : configs.pools(fold)) {
    const auto& conf = configs.of(name);
    scheduling::pool_capacity capacity{fold.snapshot(), trial, *conf, name};
    pools.push_back({std::move(name), conf, std::move(capacity)});
  }
  std::string unfit;
  std::string barred;
  for (const auto& kind : asked.kinds) {
    const auto why = why_never(pools, trial, kind);
    if (!why) continue;
    auto& text = why->is_unfit ? unfit : barred;
    if (text.find(why->sentence) == std::string::npos)
      text += (text.empty() ? "" : "; ") + why->sentence;
  }
  if (!unfit.empty()) unfit += "; " + what_becomes_of(rules);
  return unfit + (unfit.empty() || barred.empty() ? "" : "; ") + barred;
}

}  // namespace argosy::rounds
