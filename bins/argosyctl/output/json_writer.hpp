// SPDX-License-Identifier: Apache-2.0
// Prints messages of any type as proto3 JSON, exactly as protobuf's json_util does with the keys of
// maps sorted, but without its type resolver, which costs a hundred times more. Lists of 100,000
// jobs are printed with it. One thread uses it.
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <string>

namespace argosy::ctl {

class json_writer {
 public:
  enum class form : bool {
    proto3,  ///< Messages are printed as protobuf's own json_util does.
    /// Moments that a message holds as Unix nanoseconds (`finished_ns`) are printed like a
    /// Timestamp, "finishedTs":"2026-11-20T15:04:05.120Z", and are absent when 0. A field with a
    /// companion that says whether it has a value (`has_exit_code`) is absent when it has none, and
    /// the companion always is. The type `sparse` is printed as Kubernetes writes it, so that it
    /// can be submitted again: a quantity is a text, and a volume has its source in it.
    readable,
  };

  /// Messages of the type `sparse`, and all within them, are printed without fields that were not
  /// set.
  explicit json_writer(const google::protobuf::Descriptor* sparse = nullptr,
                       form how = form::proto3);
  ~json_writer();

  enum class defaults : bool { left_out, printed };

  /// Appends one object, without a line feed.
  void append(const google::protobuf::Message& message, defaults which, std::string& out);

 private:
  struct field;
  struct plan;
  struct plans;
  struct source {
    const google::protobuf::Message& message;
    const google::protobuf::Reflection& reflection;
  };

  const plan& plan_of(const google::protobuf::Descriptor* type);
  [[nodiscard]] static bool is_there(const source& from, const field& of);
  void put_field(const source& from, const field& of, defaults which, std::string& out);
  void put_list(const source& from, const field& of, defaults which, std::string& out);
  void put_map(const source& from, const field& of, defaults which, std::string& out);
  /// Prints a field, or an item of a list if the index is not negative.
  void put_value(const source& from, const field& of, int index, defaults which, std::string& out);

  std::unique_ptr<plans> plans_;
};

}  // namespace argosy::ctl
