// SPDX-License-Identifier: Apache-2.0
// This file declares how the record of a job is written; store_codec.hpp has how it is read.
#pragma once

#include <string>

#include "runtime/model/job.hpp"

namespace argosy::view {

/// The record without the job's specification, which has a table of its own.
[[nodiscard]] std::string encode_job(const model::job_record& record);

}  // namespace argosy::view
