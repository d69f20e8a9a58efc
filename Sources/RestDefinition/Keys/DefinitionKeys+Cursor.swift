// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension DefinitionKeys {
    /// The keys of a cursor.
    struct CursorKeys: Sendable {
        var field: DocumentPath?
        var requestTime: Bool?
        var rest = CursorDefinition(.requestTime)
    }

    /// The rule for reading only changed records.
    static let cursor: ValueCoder<CursorDefinition> = ValueCoder<CursorKeys>.object(
        "cursor", CursorKeys(),
        [
            .optional("field", \.field, .path, "The path of the position in a record."),
            .optional(
                "request_time", \.requestTime, .boolean,
                "Whether the position is the time of the first request, by the server's clock."),
            .optional(
                "parameter", \.rest.parameter, .text,
                "The parameter with the start of the interval; without it, records are selected after reading."
            ),
            .optional(
                "end_parameter", \.rest.endParameter, .text,
                "The parameter with the end of the interval."),
            .optional(
                "placement", \.rest.placement, .choice, default: .query,
                "The place of the parameters."),
            .optional(
                "format", \.rest.format, cursorFormat, default: .verbatim,
                "The form of the position in a request."),
            .optional(
                "initial_value", \.rest.initialValue, .scalar, "The position of the first run."),
            .optional(
                "lookback", \.rest.lookback, .distance,
                "The distance by which a run starts before the position of the last one."),
            .optional(
                "step", \.rest.step, .distance,
                "The length of the intervals into which a run is divided."),
            .optional(
                "retention", \.rest.retention, .duration,
                "The time for which the API keeps changes; after a longer pause, everything is read."
            ),
            .optional(
                "order", \.rest.order, .choice, default: .none,
                "The order of the list by the cursor."),
            .optional(
                "per_parent", \.rest.isPerParent, .boolean, default: true,
                "Whether each parent has a position of its own."),
        ], alternatives: ["field", "request_time"],
        dependencies: [.init("end_parameter", needs: "parameter")]
    ).map(
        read: { keys, source, context in
            var cursor = keys.rest
            if let field = keys.field {
                cursor.source = .field(field)
            } else if keys.requestTime == true {
                cursor.source = .requestTime
            } else {
                context.report(
                    .noEffect, at: source.location, "`request_time: false` has no effect",
                    advice: "write `field`, or remove the cursor")
                return nil
            }
            return cursor
        },
        write: { cursor in
            var keys = CursorKeys(rest: cursor)
            switch cursor.source {
            case .field(let path): keys.field = path
            case .requestTime: keys.requestTime = true
            }
            return keys
        })

    private enum FormatName: String, CaseIterable {
        case verbatim
        case iso8601
        case day
        case unix
        case unixMilliseconds = "unix_milliseconds"
        case integer
    }

    private static let formats: [(name: FormatName, format: CursorDefinition.Format)] = [
        (.verbatim, .verbatim), (.iso8601, .iso8601), (.day, .day), (.unix, .unixSeconds),
        (.unixMilliseconds, .unixMilliseconds), (.integer, .integer),
    ]

    private static let cursorFormat = ValueCoder<CursorDefinition.Format>.either([
        ValueCoder<FormatName>.choice.map(
            read: { name, _, _ in formats.first { $0.name == name }?.format },
            write: { format in formats.first { $0.format == format }?.name }),
        ValueCoder<String>.object(
            "format", "",
            [
                .required(
                    "pattern", \.self, .text, "A date pattern, such as yyyy/MM/dd HH:mm:ss.")
            ]
        ).map(
            read: { pattern, _, _ in .pattern(pattern) },
            write: { if case .pattern(let pattern) = $0 { pattern } else { nil } }),
    ])
}
