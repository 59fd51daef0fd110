// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/snap1.hpp"

#include <algorithm>

#include "runtime/base/check.hpp"
#include "runtime/scheduling/snap1/fields.hpp"
#include "runtime/scheduling/snap1/settings.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

namespace {

using snap1::field_list;

ulid numbered(std::uint64_t rank) {
  ulid id;
  for (std::size_t i = 16; i-- > 8; rank >>= 8) id.bytes[i] = static_cast<std::uint8_t>(rank & 255);
  return id;
}

struct line {
  std::size_t number;
  field_list fields;
};

/// Lines by kind; J lines with the R line that follows. Fields point into the text.
struct sorted_lines {
  std::vector<line> conf;
  std::vector<line> nodes;
  std::vector<line> queues;
  std::vector<line> limits;
  std::vector<line> jobs;
  std::vector<line> runs;
};

failure at_line(std::size_t number, const error& problem) {
  return fail(problem.code, "line " + std::to_string(number) + ": " + problem.detail);
}

result<sorted_lines> sort_lines(std::string_view text) {
  sorted_lines sorted;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    auto row = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
    if (row.empty() || row.front() == '#') continue;
    struct rule {
      char kind;
      std::size_t least;
      std::vector<line>* into;
    };
    const rule rules[] = {{'C', 3, &sorted.conf},   {'N', 9, &sorted.nodes},
                          {'Q', 3, &sorted.queues}, {'L', 5, &sorted.limits},
                          {'J', 15, &sorted.jobs},  {'R', 5, &sorted.runs}};
    auto fields = snap1::split(row, ' ');
    const auto* found = std::find_if(std::begin(rules), std::end(rules), [&](const rule& r) {
      return fields.front() == std::string_view(&r.kind, 1);
    });
    if (found == std::end(rules) || fields.size() < found->least)
      return at_line(number,
                     {ec::invalid_argument, "not a C, N, Q, L, J or R record with all its fields"});
    found->into->push_back({number, std::move(fields)});
  }
  return sorted;
}

label_list labels_of(std::string_view text) {
  label_list list;
  for (const auto& [name, value] : snap1::pairs(text)) list.emplace_back(name, value);
  return list;
}

result<void> read_amounts(std::string_view text, resource_list& into) {
  for (const auto& [name, steps] : snap1::pairs(text)) {
    const auto amount = snap1::read_integer(steps);
    if (!amount) return fail(amount.error());
    into.emplace_back(name, *amount);
  }
  return {};
}

class world_reader {
 public:
  explicit world_reader(config conf) : world_{std::move(conf), {}, snapshot(config{}), {}} {
    world_.params.pool = snap1_pool;
    world_.params.tokens = world_.conf.burst;
    world_.params.preemption_tokens = world_.conf.preemption_burst;
  }

  result<snap1_world> read(std::string_view text) {
    auto lines = sort_lines(text);
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
    for (const auto& [number, f] : lines.nodes) {
      node_row row;
      row.id = f[2];
      row.executor = f[3];
      row.pool = snap1_pool;
      constexpr std::string_view names[] = {"cpu", "memory", "nvidia.com/gpu"};
      for (std::size_t i = 0; i < 3; ++i) {
        const auto amount = snap1::read_integer(f[4 + i]);
        if (!amount) return at_line(number, amount.error());
        row.total.emplace_back(names[i], *amount);
      }
      row.labels = labels_of(f[7]);
      for (const auto text : snap1::split(f[8], ','))
        if (text != "-") row.taints.push_back(snap1::read_taint(text));
      row.unschedulable = f.size() > 9 && f[9] == "unschedulable";
      if (f.size() > 10)
        if (auto ok = read_amounts(f[10], row.total); !ok) return at_line(number, ok.error());
      if (f.size() > 11) row.pool = f[11];
      node_ids_.push_back(row.id);
      if (auto ok = world_.jobs_and_nodes.upsert_node(row); !ok) return at_line(number, ok.error());
    }
    return {};
  }

  result<void> read_queues(const sorted_lines& lines) {
    absl::flat_hash_map<std::string, std::vector<queue_limit>> limits;
    for (const auto& [number, f] : lines.limits) {
      const auto share = snap1::read_decimal(f[4]);
      if (!share) return at_line(number, share.error());
      queue_limit limit;
      limit.priority_class = f[2];
      limit.fractions = {{std::string(f[3]), *share}};
      if (f.size() > 5) limit.pool = f[5];
      limits[std::string(f[1])].push_back(std::move(limit));
    }
    for (const auto& [number, f] : lines.queues) {
      const auto factor = snap1::read_decimal(f[2]);
      if (!factor) return at_line(number, factor.error());
      queue_row row;
      row.name = f[1];
      row.priority_factor = *factor;
      row.cordoned = f.size() > 3 && f[3] == "cordoned";
      row.limits = limits[row.name];
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
        return at_line(lines.jobs[names[rank].second].number,
                       {ec::invalid_argument, "a job of this id stands twice"});
      ids_[names[rank].second] = numbered(rank + 1);
      world_.job_names.emplace_back(names[rank].first);
    }
    for (const auto& l : lines.runs)
      if (!by_name_.emplace(l.fields[1], &l).second)
        return at_line(l.number, {ec::invalid_argument, "a run of this job stands twice"});
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
    constexpr std::string_view names[] = {"cpu", "memory", "nvidia.com/gpu"};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto amount = snap1::read_integer(f[6 + i]);
      if (!amount) return fail(amount.error());
      row.requests.emplace_back(names[i], *amount);
    }
    if (f.size() > 15)
      if (auto ok = read_amounts(f[15], row.requests); !ok) return fail(ok.error());
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
    const auto node = snap1::read_integer(f[2]);
    const auto created = snap1::read_integer(f[3]);
    const auto priority = snap1::read_integer(f[4]);
    for (const auto* field : {&node, &created, &priority})
      if (!*field) return fail(field->error());
    if (*node < -1 || *node >= static_cast<std::int64_t>(node_ids_.size()))
      return fail(ec::invalid_argument, "there is no node " + std::to_string(*node));
    row.run = run_row{*node < 0 ? std::string("-") : node_ids_[static_cast<std::size_t>(*node)],
                      *created, static_cast<std::int32_t>(*priority), std::string(snap1_pool)};
    if (f.size() > 5) row.run->pool = f[5];
    return {};
  }

  result<void> read_job(const line& at, const ulid& id) {
    const auto& f = at.fields;
    job_row row;
    row.id = id;
    row.queue = f[2];
    const auto priority = snap1::read_integer(f[4]);
    const auto submitted = snap1::read_integer(f[5]);
    const auto cardinality = snap1::read_integer(f[13]);
    for (const auto* field : {&priority, &submitted, &cardinality})
      if (!*field) return at_line(at.number, field->error());
    const auto shape = shape_of(f);
    if (!shape) return at_line(at.number, shape.error());
    row.shape = *shape;
    row.priority = static_cast<std::uint32_t>(*priority);
    row.submit_ns = *submitted;
    if (f[12] != "-" && *cardinality > 1) {
      row.gang = gang_row{std::string(f[12]), static_cast<std::uint32_t>(*cardinality), 0, ""};
      if (f[14] != "-") row.gang->uniformity_label = f[14];
      if (f.size() > 17) {
        const auto minimum = snap1::read_integer(f[17]);
        if (!minimum) return at_line(at.number, minimum.error());
        row.gang->minimum = static_cast<std::uint32_t>(*minimum);
      }
    }
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
  /// Runs whose jobs were not read yet.
  absl::flat_hash_map<std::string_view, const line*, text_hash, std::equal_to<>> by_name_;
  absl::flat_hash_map<std::string, shape_id> shapes_;
};

}  // namespace

const std::string& snap1_world::job_name(const ulid& id) const {
  std::size_t rank = 0;
  for (std::size_t i = 8; i < 16; ++i) rank = (rank << 8) | id.bytes[i];
  ARGOSY_CHECK(rank >= 1 && rank <= job_names.size());
  return job_names[rank - 1];
}

result<snap1_world> read_snap1(std::string_view text, config conf) {
  return world_reader(std::move(conf)).read(text);
}

std::string decisions(const snap1_world& world, const plan& decided) {
  const auto& from = world.jobs_and_nodes;
  std::vector<std::string> lines;
  lines.reserve(decided.leases.size() + decided.preemptions.size());
  for (const auto& lease : decided.leases)
    lines.push_back("S " + world.job_name(lease.job) + " " + std::string(from.node_id(lease.node)) +
                    " " + std::to_string(lease.priority) + "\n");
  for (const auto& lost : decided.preemptions)
    lines.push_back("P " + world.job_name(lost.job) + " " + std::string(from.node_id(lost.node)) +
                    "\n");
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const auto& row : lines) text += row;
  return text;
}

}  // namespace argosy::scheduling
