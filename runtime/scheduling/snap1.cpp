// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/snap1.hpp"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <tuple>

#include "runtime/scheduling/snap1/fields.hpp"
#include "runtime/scheduling/snap1/lines.hpp"
#include "runtime/scheduling/snap1/settings.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

using snap1::at_line;
using snap1::field_list;
using snap1::line;
using snap1::read_whole;
using snap1::sorted_lines;

ulid numbered(std::uint64_t rank) {
  ulid id;
  for (std::size_t i = 16; i-- > 8; rank >>= 8) id.bytes[i] = static_cast<std::uint8_t>(rank & 255);
  return id;
}

label_list labels_of(std::string_view text) {
  label_list list;
  for (const auto& [name, value] : snap1::pairs(text)) list.emplace_back(name, value);
  return list;
}

error twice(std::string_view what) {
  return {ec::invalid_argument, std::string(what) + " stands twice"};
}

/// Reads cpu, memory and gpus from the field `first` on, and other resources from the field
/// `further` if it is there.
result<resource_list> read_amounts(const field_list& f, std::size_t first, std::size_t further) {
  constexpr std::string_view names[] = {"cpu", "memory", "nvidia.com/gpu"};
  resource_list amounts;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto amount = read_whole<std::int64_t>(f[first + i]);
    if (!amount) return fail(amount.error());
    amounts.emplace_back(names[i], *amount);
  }
  if (f.size() <= further) return amounts;
  for (const auto& [name, steps] : snap1::pairs(f[further])) {
    const auto amount = read_whole<std::int64_t>(steps);
    if (!amount) return fail(amount.error());
    const auto known = [&, &added = name](const auto& entry) { return entry.first == added; };
    if (std::any_of(amounts.begin(), amounts.end(), known))
      return fail(twice("'" + std::string(name) + "'"));
    amounts.emplace_back(name, *amount);
  }
  return amounts;
}

/// The field, or `otherwise` if it is left out or '-'.
std::string_view or_default(const field_list& f, std::size_t at, std::string_view otherwise) {
  return at < f.size() && f[at] != "-" ? f[at] : otherwise;
}

class world_reader {
 public:
  explicit world_reader(config conf) : world_{std::move(conf), {}, snapshot(config{}), {}} {
    world_.params.pool = snap1_pool;
    world_.params.tokens = world_.conf.burst;
    world_.params.preemption_tokens = world_.conf.preemption_burst;
  }

  result<snap1_world> read(std::string_view text) {
    auto lines = snap1::sort_lines(text);
    if (!lines) return fail(std::move(lines.error()));
    for (const auto& l : lines->conf)
      if (auto ok = snap1::read_setting(l.fields[1], l.fields[2], world_.conf, world_.params); !ok)
        return at_line(l.number, ok.error());
    mark_victims(world_.conf);
    if (auto ok = validate(world_.conf); !ok) return fail(std::move(ok.error()));
    world_.jobs_and_nodes = snapshot(world_.conf);
    if (auto ok = read_nodes(*lines); !ok) return fail(std::move(ok.error()));
    if (auto ok = read_queues(*lines); !ok) return fail(std::move(ok.error()));
    if (auto ok = read_jobs(*lines); !ok) return fail(std::move(ok.error()));
    world_.jobs_and_nodes.settle();
    return std::move(world_);
  }

 private:
  result<void> read_nodes(const sorted_lines& lines) {
    absl::flat_hash_set<std::string_view, text_hash, std::equal_to<>> known;
    for (const auto& [number, f] : lines.nodes) {
      if (f[1] != std::to_string(node_ids_.size()))
        return at_line(number, {ec::invalid_argument,
                                "'" + std::string(f[1]) +
                                    "' is not the number of this node; nodes count from 0 in the "
                                    "order of their lines"});
      node_row row;
      row.id = f[2];
      row.executor = f[3];
      auto total = read_amounts(f, 4, 10);
      if (!total) return at_line(number, total.error());
      row.total = std::move(*total);
      row.labels = labels_of(f[7]);
      for (const auto text : snap1::split(f[8], ','))
        if (text != "-") row.taints.push_back(snap1::read_taint(text));
      const auto unschedulable = snap1::read_word(or_default(f, 9, "-"), "unschedulable");
      if (!unschedulable) return at_line(number, unschedulable.error());
      row.unschedulable = *unschedulable;
      row.pool = or_default(f, 11, snap1_pool);
      if (!known.insert(f[2]).second) return at_line(number, twice("a node of this id"));
      node_ids_.push_back(row.id);
      if (auto ok = world_.jobs_and_nodes.upsert_node(row); !ok) return at_line(number, ok.error());
    }
    return {};
  }

  /// The limits of each queue: those of classes, and that of all classes together.
  using limits_by_queue =
      absl::flat_hash_map<std::string, std::pair<std::vector<queue_limit>, fraction_list>>;

  static result<limits_by_queue> read_limits(const sorted_lines& lines) {
    limits_by_queue limits;
    for (const auto& [number, f] : lines.limits) {
      const auto share = snap1::read_share(f[4]);
      if (!share) return at_line(number, share.error());
      queue_limit limit;
      limit.priority_class = f[2];
      limit.pool = or_default(f, 5, "");
      limit.fractions = {{std::string(f[3]), *share}};
      auto& [own, total] = limits[std::string(f[1])];
      if (f[2] == "-") {  // The limit is one of all classes together.
        if (!limit.pool.empty())
          return at_line(number, {ec::invalid_argument, "a limit of all classes has no pool"});
        if (std::ranges::find(total, f[3], [](auto& each) { return each.first; }) != total.end())
          return at_line(number, twice("a limit of this queue and resource"));
        total.emplace_back(f[3], *share);
        continue;
      }
      const auto same = [&](const queue_limit& other) {
        return other.priority_class == limit.priority_class && other.pool == limit.pool &&
               other.fractions.front().first == limit.fractions.front().first;
      };
      if (std::any_of(own.begin(), own.end(), same))
        return at_line(number, twice("a limit of this queue, class, resource and pool"));
      own.push_back(std::move(limit));
    }
    return limits;
  }

  result<void> read_queues(const sorted_lines& lines) {
    auto limits = read_limits(lines);
    if (!limits) return fail(std::move(limits.error()));
    absl::flat_hash_set<std::string_view, text_hash, std::equal_to<>> known;
    for (const auto& [number, f] : lines.queues) {
      const auto factor = snap1::read_share(f[2]);
      if (!factor) return at_line(number, factor.error());
      const auto cordoned = snap1::read_word(or_default(f, 3, "-"), "cordoned");
      if (!cordoned) return at_line(number, cordoned.error());
      if (!known.insert(f[1]).second) return at_line(number, twice("a queue of this name"));
      queue_row row;
      row.name = f[1];
      row.priority_factor = *factor;
      row.cordoned = *cordoned;
      std::tie(row.limits, row.total_limit) = std::move((*limits)[row.name]);
      if (auto ok = world_.jobs_and_nodes.upsert_queue(row); !ok)
        return at_line(number, ok.error());
    }
    return {};
  }

  result<void> name_jobs(const sorted_lines& lines) {
    std::vector<std::pair<std::string_view, std::uint32_t>> names;
    names.reserve(lines.jobs.size());
    for (std::uint32_t i = 0; i < lines.jobs.size(); ++i)
      names.emplace_back(lines.jobs[i].fields[1], i);
    std::sort(names.begin(), names.end());
    ids_.resize(names.size());
    by_name_.reserve(lines.runs.size());
    for (std::size_t rank = 0; rank < names.size(); ++rank) {
      if (rank > 0 && names[rank].first == names[rank - 1].first)
        return at_line(lines.jobs[names[rank].second].number, twice("a job of this id"));
      ids_[names[rank].second] = numbered(rank + 1);
      world_.job_names.emplace_back(names[rank].first);
    }
    for (const auto& l : lines.runs)
      if (!by_name_.emplace(l.fields[1], &l).second)
        return at_line(l.number, twice("a run of this job"));
    return {};
  }

  result<shape_id> shape_of(const field_list& f) {
    std::string key;
    for (const auto i : {std::size_t{3}, std::size_t{6}, std::size_t{7}, std::size_t{8},
                         std::size_t{9}, std::size_t{10}, std::size_t{11}, std::size_t{15}}) {
      if (i < f.size()) key += f[i];
      key += ' ';
    }
    const auto known = shapes_.find(key);
    if (known != shapes_.end()) return known->second;
    shape_row row;
    row.priority_class = f[3];
    auto requests = read_amounts(f, 6, 15);
    if (!requests) return fail(std::move(requests.error()));
    row.requests = std::move(*requests);
    row.selector = labels_of(f[9]);
    for (const auto text : snap1::split(f[10], ','))
      if (text != "-") row.tolerations.push_back(snap1::read_toleration(text));
    for (auto rest = f[11]; !rest.empty();) {
      const auto bar = rest.find("||");
      if (auto term = snap1::read_affinity(rest.substr(0, bar)); !term.empty())
        row.affinity.push_back(std::move(term));
      rest = bar == std::string_view::npos ? std::string_view{} : rest.substr(bar + 2);
    }
    auto shape = world_.jobs_and_nodes.intern(row);
    if (shape) shapes_.emplace(std::move(key), *shape);
    return shape;
  }

  result<void> read_run(const field_list& f, job_row& row) {
    const auto node = read_whole<std::int64_t>(f[2]);
    if (!node) return fail(node.error());
    const auto created = read_whole<std::int64_t>(f[3]);
    if (!created) return fail(created.error());
    const auto priority = read_whole<std::int32_t>(f[4], 0);
    if (!priority) return fail(priority.error());
    if (*node < -1 || *node >= static_cast<std::int64_t>(node_ids_.size()))
      return fail(ec::invalid_argument, "there is no node " + std::to_string(*node));
    const auto stopping = snap1::read_word(or_default(f, 6, "-"), "stopping");
    if (!stopping) return fail(stopping.error());
    row.run = run_row{*node < 0 ? std::string("-") : node_ids_[static_cast<std::size_t>(*node)],
                      *created, *priority, std::string(or_default(f, 5, snap1_pool)), *stopping};
    return {};
  }

  static result<void> read_gang(const field_list& f, job_row& row) {
    const auto cardinality = read_whole<std::uint32_t>(f[13]);
    if (!cardinality) return fail(cardinality.error());
    const auto minimum = read_whole<std::uint32_t>(or_default(f, 17, "0"));
    if (!minimum) return fail(minimum.error());
    if (f[12] != "-" && *cardinality > 1)
      row.gang =
          gang_row{std::string(f[12]), *cardinality, *minimum, std::string(or_default(f, 14, ""))};
    return {};
  }

  result<void> read_job(const line& at, const ulid& id) {
    const auto& f = at.fields;
    job_row row;
    row.id = id;
    row.queue = f[2];
    const auto priority = read_whole<std::uint32_t>(f[4]);
    if (!priority) return at_line(at.number, priority.error());
    const auto submitted = read_whole<std::int64_t>(f[5]);
    if (!submitted) return at_line(at.number, submitted.error());
    const auto shape = shape_of(f);
    if (!shape) return at_line(at.number, shape.error());
    row.shape = *shape;
    row.priority = *priority;
    row.submit_ns = *submitted;
    if (auto ok = read_gang(f, row); !ok) return at_line(at.number, ok.error());
    if (f.size() > 16 && f[16] != "-")
      for (const auto pool : snap1::split(f[16], '|')) row.pools.emplace_back(pool);
    if (const auto run = by_name_.find(f[1]); run != by_name_.end()) {
      const auto& own = *run->second;
      by_name_.erase(run);
      if (auto ok = read_run(own.fields, row); !ok) return at_line(own.number, ok.error());
    }
    if (auto ok = world_.jobs_and_nodes.upsert_job(row); !ok) return at_line(at.number, ok.error());
    return {};
  }

  result<void> read_jobs(const sorted_lines& lines) {
    if (auto ok = name_jobs(lines); !ok) return ok;
    for (std::size_t i = 0; i < lines.jobs.size(); ++i)
      if (auto ok = read_job(lines.jobs[i], ids_[i]); !ok) return ok;
    for (const auto& l : lines.runs)
      if (by_name_.contains(l.fields[1]))
        return at_line(l.number, {ec::invalid_argument, "there is no job of this id to run"});
    return {};
  }

  snap1_world world_;
  std::vector<std::string> node_ids_;
  std::vector<ulid> ids_;
  /// The R lines whose jobs were not read yet.
  absl::flat_hash_map<std::string_view, const line*, text_hash, std::equal_to<>> by_name_;
  absl::flat_hash_map<std::string, shape_id> shapes_;
};

}  // namespace

result<snap1_world> read_snap1(std::string_view text, config conf) {
  return world_reader(std::move(conf)).read(text);
}

}  // namespace argosy::scheduling
