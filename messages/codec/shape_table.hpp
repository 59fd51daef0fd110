// SPDX-License-Identifier: Apache-2.0
// Keeps one object for all equal scheduling shapes of a process, with their encoded form. One table
// is shared by all codecs; it is thread-safe. It holds at most a few thousand shapes that nobody
// else holds.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"

namespace argosy::codec {

class shape_table {
 public:
  shape_table();
  ~shape_table();
  shape_table(const shape_table&) = delete;
  shape_table& operator=(const shape_table&) = delete;

  /// The one object that equals this shape.
  [[nodiscard]] std::shared_ptr<const model::job_shape> intern(const model::job_shape& shape);

  /// The one object of an encoded argosy.log.v1.Shape. ec::corrupt when the bytes are none.
  [[nodiscard]] result<std::shared_ptr<const model::job_shape>> intern_encoded(
      std::string_view bytes);

  /// The encoded argosy.log.v1.Shape. If the table knows the object, nothing is encoded.
  [[nodiscard]] std::string encoded(const model::job_shape& shape) const;

  /// How many shapes the table holds.
  [[nodiscard]] std::size_t size() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

/// The table of this process, which all codecs use unless they are given another.
[[nodiscard]] shape_table& process_shapes();

}  // namespace argosy::codec
