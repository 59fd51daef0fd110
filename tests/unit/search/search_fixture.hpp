// SPDX-License-Identifier: Apache-2.0
// Jobs in a store in memory, and a plain reading of conditions over all of them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "messages/proto/argosy/log.pb.h"
#include "messages/view/search/job_facts.hpp"
#include "messages/view/writer.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::view {

/// A job as tests see it.
struct plain_job {
  model::job_record record;
  model::job_tags tags;
};

class stored_jobs : public ::testing::Test {
 protected:
  ulid put(plain_job job) {
    model::job_header header = *job.record.header;
    log::v1::JobSpec spec;
    spec.mutable_annotations()->insert(job.tags.annotations.begin(), job.tags.annotations.end());
    spec.mutable_labels()->insert(job.tags.labels.begin(), job.tags.labels.end());
    spec.mutable_pod_spec()->add_containers()->set_image("ignored");
    header.spec = std::make_shared<const std::string>(spec.SerializeAsString());
    job.record.header = std::make_shared<const model::job_header>(header);
    write(job.record, true);
    all_[header.id] = job;
    return header.id;
  }

  void change(const ulid& id, model::job_state state) {
    auto& job = all_.at(id).record;
    job.state = state;
    write(job, false);
  }

  void write(const model::job_record& record, bool is_new) {
    native::append_request request;
    request.changes.emplace_back(ledger::put_job{record, is_new});
    native::committed_batch batch;
    batch.position = {++position_};
    batch.hash = position_;
    batch.entries = {std::make_shared<const native::append_request>(std::move(request))};
    auto txn = database_.begin_write();
    const auto written = write_batch(**txn, batch, [](const auto&) {});
    ASSERT_TRUE(written) << written.error().detail;
    ASSERT_TRUE((*txn)->commit());
  }

  /// A job with every property at random, out of few values.
  plain_job some_job(std::uint64_t number) {
    const auto any = [&](auto... values) {
      const std::array<std::string, sizeof...(values)> list{values...};
      return list[random_() % list.size()];
    };
    model::job_header header;
    header.id = ulid_from_hash(1'000 + number / 4, random_(), number);
    header.queue = model::queue_name{any("ants", "bees", "bee")};
    header.job_set = any("night", "day", "day 2");
    // One is the beginning of another, and some do not go into keys.
    header.owner =
        any("ann", "ann", "bob", "bob", "anna", "", std::string(300, 'n'), std::string{"an\0n", 4});
    header.name_space = any("default", "other");
    // A clock that goes back leaves ids with a later time than that of their submission.
    const auto millis = 1'000 + number / 4 - (random_() % 4 == 0 ? random_() % 10 : 0);
    header.submitted_ns = static_cast<std::int64_t>(millis * 1'000'000 + random_() % 1'000'000);
    model::job_shape shape;
    shape.requests = {{"cpu", 1'000 * static_cast<std::int64_t>(1 + random_() % 4)},
                      {"memory", 1 << 20}};
    if (random_() % 3 == 0) shape.requests.emplace_back("nvidia.com/gpu", 1 + random_() % 8);
    shape.priority_class = any("urgent", "usual");
    header.shape = std::make_shared<const model::job_shape>(shape);
    if (random_() % 4 == 0)
      header.gang =
          std::make_shared<const model::gang_info>(model::gang_info{any("g1", "g2"), 2, 2, {}});
    plain_job out;
    out.record.state = static_cast<model::job_state>(random_() % 9);
    out.record.priority = static_cast<std::uint32_t>(random_() % 5);
    out.record.changed_ns = static_cast<std::int64_t>(2'000 + random_() % 50);
    if (model::can_have_reason(out.record.state))
      out.record.reason = any("", "out of memory", "cancelled by ann");
    if (out.record.state != model::job_state::queued) {
      model::run_record run;
      run.number = 1;
      run.state = random_() % 2 == 0 ? model::run_state::succeeded : model::run_state::failed;
      run.cluster = model::cluster_name{any("east", "west")};
      run.node = model::node_name{any("n1", "n2")};
      run.pool = model::pool_name{any("default", "gpu")};
      if (random_() % 2 == 0) run.outcome.exit_code = static_cast<int>(random_() % 3);
      if (random_() % 3 == 0) out.record.runs.push_back(run);
      run.number = 2;
      run.node = model::node_name{any("n1", "n3")};
      out.record.runs.push_back(run);
    }
    if (random_() % 2 == 0) out.tags.annotations["team"] = any("sea", "sky", "seaside");
    if (random_() % 3 == 0) out.tags.labels["app"] = any("sim", "train");
    if (random_() % 10 == 0)
      for (int i = 0; i < 40; ++i) out.tags.annotations["extra" + std::to_string(i)] = "x";
    out.record.header = std::make_shared<const model::job_header>(header);
    return out;
  }

  std::mt19937_64 random_{5};
  store::memory_database database_;
  std::map<ulid, plain_job> all_;
  std::uint64_t position_ = 0;
};

}  // namespace argosy::view
