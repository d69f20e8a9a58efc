// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension DefinitionKeys {
    /// The keys of a condition.
    struct ConditionKeys: Sendable {
        var path = DocumentPath.root
        var isOne: [ScalarValue]?
        var isNone: [ScalarValue]?
        var exists: Bool?
        var contains: String?
    }

    /// A condition for a value.
    static let condition = ValueCoder<ConditionKeys>.object(
        "condition", ConditionKeys(),
        [
            .required("path", \.path, .path, "The path of the value."),
            .optional(
                "is", \.isOne, .oneOrMany(.nullableScalar), "Values, one of which the value equals."
            ),
            .optional(
                "is_not", \.isNone, .oneOrMany(.nullableScalar),
                "Values, none of which the value equals."),
            .optional("exists", \.exists, .boolean, "Whether there is a value other than null."),
            .optional(
                "contains", \.contains, .text, "A text that the value contains, in any case."),
        ], alternatives: ["is", "is_not", "exists", "contains"]
    ).map(
        read: { keys, _, _ in
            let comparison: Condition.Comparison? =
                if let values = keys.isOne { .isOne(of: values) } else if let values = keys.isNone {
                    .isNone(of: values)
                } else if let exists = keys.exists { exists ? .exists : .isMissing } else {
                    keys.contains.map { .contains($0) }
                }
            return comparison.map { Condition(at: keys.path, $0) }
        },
        write: { condition in
            var keys = ConditionKeys(path: condition.path)
            switch condition.comparison {
            case .exists: keys.exists = true
            case .isMissing: keys.exists = false
            case .isOne(let values): keys.isOne = values
            case .isNone(let values): keys.isNone = values
            case .contains(let text): keys.contains = text
            }
            return keys
        })

    /// The keys of a location of a value.
    struct LocationKeys: Sendable {
        var header: String?
        var lastRecord: DocumentPath?
    }

    /// The location of a value about a list: a path in the body, a header field or a path in the last record.
    static let location = ValueCoder<ValueLocation>.either([
        ValueCoder<DocumentPath>.path.map(
            read: { path, _, _ in ValueLocation.body(path) },
            write: { if case .body(let path) = $0 { path } else { nil } }),
        ValueCoder<LocationKeys>.object(
            "location", LocationKeys(),
            [
                .optional("header", \.header, .text, "The name of a header field."),
                .optional(
                    "last_record", \.lastRecord, .path, "A path in the last record of the page."),
            ], alternatives: ["header", "last_record"]
        ).map(
            read: { keys, _, _ in
                keys.header.map { .header($0) } ?? keys.lastRecord.map { .lastRecord($0) }
            },
            write: { location in
                switch location {
                case .body: nil
                case .header(let name): LocationKeys(header: name)
                case .lastRecord(let path): LocationKeys(lastRecord: path)
                }
            }),
    ])
}
