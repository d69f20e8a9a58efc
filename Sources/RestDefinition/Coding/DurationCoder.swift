// SPDX-License-Identifier: Apache-2.0

/// Durations as text, such as `1h30m`: numbers with the units `ms`, `s`, `m`, `h`, `d` and `w`.
enum DurationText {
    /// The units with their lengths in milliseconds, the longest first.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000),
        ("ms", 1),
    ]
    /// A century, so that sums never overflow.
    private static let maximum: Int64 = 3_155_760_000_000

    /// Returns the duration of a text; `nil` if it is malformed or longer than a century.
    static func duration(_ text: String) -> Duration? {
        var total: Int64 = 0
        var rest = text[...]
        while let digits = rest.prefixDigits {
            rest = rest.dropFirst(digits.count)
            let name = String(rest.prefix { $0.isLowercase })
            rest = rest.dropFirst(name.count)
            guard let count = Int64(digits), let unit = units.first(where: { $0.name == name }),
                count <= maximum / unit.milliseconds
            else { return nil }
            total += count * unit.milliseconds
            if total > maximum { return nil }
        }
        return rest.isEmpty && !text.isEmpty ? .milliseconds(total) : nil
    }

    /// Returns the text of a duration, rounded down to milliseconds.
    static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        var rest = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        if rest == 0 { return "0s" }
        var text = ""
        for (name, milliseconds) in units where name != "w" || rest % milliseconds == 0 {
            let count = rest / milliseconds
            if count > 0 { text += "\(count)\(name)" }
            rest -= count * milliseconds
        }
        return text
    }
}

extension Substring {
    /// The digits at the start; `nil` if there are none.
    fileprivate var prefixDigits: Substring? {
        let digits = prefix { $0.isASCII && $0.isNumber }
        return digits.isEmpty ? nil : digits
    }
}

extension ValueCoder where Value == Duration {
    /// A duration.
    static var duration: ValueCoder {
        ValueCoder(
            .text(pattern: "^([0-9]+(ms|s|m|h|d|w))+$"), [.scalar],
            expectation: "a duration such as `90s`, `5m`, `1h30m` or `30d`",
            read: { source, context in
                if let value = DurationText.duration(source.scalarText ?? "") { return value }
                context.report(
                    .invalidValue, at: source.location, "the value is not a duration",
                    advice: "write a number and a unit, such as `90s`, `5m`, `1h30m` or `30d`")
                return nil
            }, write: { .text(DurationText.text($0)) })
    }
}

extension ValueCoder where Value == CursorDefinition.Distance {
    /// A duration, or a difference between integers.
    static var distance: ValueCoder {
        ValueCoder(
            .either([ValueCoder<Duration>.duration.schema, .integer(minimum: 0)]), [.scalar],
            expectation: "a duration such as `5m`, or an integer",
            read: { source, context in
                if case .scalar(.number(let text)) = source.content, let count = Int64(text),
                    count >= 0
                {
                    return .count(count)
                }
                return ValueCoder<Duration>.duration.read(source, &context).map { .duration($0) }
            },
            write: { distance in
                switch distance {
                case .duration(let duration): ValueCoder<Duration>.duration.write(duration)
                case .count(let count): .integer(count)
                }
            })
    }
}
