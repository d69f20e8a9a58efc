// SPDX-License-Identifier: Apache-2.0

extension DefinitionKeys {
    /// The limits of requests.
    static let budget = ValueCoder<BudgetDefinition>.object(
        "budget", BudgetDefinition(),
        [
            .optional(
                "windows", \.windows, .oneOrMany(window), default: [],
                "Maximum numbers of requests in moving windows."),
            .optional(
                "remaining_header", \.remainingField, .text,
                "The header field with the number of remaining requests."),
            .optional(
                "reset_header", \.resetField, .text,
                "The header field with the end of the window."),
            .optional(
                "reset_format", \.resetFormat, .choice, default: .unix,
                "The meaning of the value of `reset_header`."),
            .optional(
                "parallel", \.parallelRequestCount, .integer(from: 1),
                "The maximum number of requests at the same time."),
            .optional(
                "shared", \.sharedName, .text,
                "The name of a budget that the mirrors of a process share; without it, the host."),
            .optional(
                "ceiling", \.ceiling, .integer(from: 1),
                "The number of requests of a run above which the user must consent."),
            .optional(
                "maximum_wait", \.maximumWait, .duration,
                "The longest wait, after which a resource is incomplete."),
        ],
        dependencies: [
            .init("reset_format", needs: "reset_header"),
            .init("reset_header", needs: "remaining_header"),
        ])

    private static let window = ValueCoder<BudgetDefinition.Window>.object(
        "window", BudgetDefinition.Window(requestCount: 1, per: .zero),
        [
            .required("requests", \.requestCount, .integer(from: 1), "The number of requests."),
            .required("per", \.duration, .duration, "The length of the window."),
        ])

    /// The rules for responses.
    static let responses = ValueCoder<[ResponseRule]>.list(responseRule, minimum: 1)

    private static let responseRule = ValueCoder<ResponseRule>.object(
        "rule", ResponseRule(action: .fail),
        [
            .optional(
                "status", \.statusCodes, .oneOrMany(statusCodes), default: [],
                "Status codes, such as 404, 5xx or 500-504."),
            .optional(
                "where", \.conditions, .oneOrMany(condition), default: [],
                "Conditions for values in the body, all of which must hold."),
            .required("action", \.action, .choice, "The effect of the response."),
        ])

    private static let statusCodes = ValueCoder<ClosedRange<Int>>(
        .either([
            .integer(minimum: 100),
            .text(pattern: "^([1-5]xx|[1-5][0-9][0-9](-[1-5][0-9][0-9])?)$"),
        ]), [.scalar], expectation: "a status code such as 404, 5xx or 500-504",
        read: { source, context in
            let text = source.scalarText ?? ""
            if text.count == 3, text.hasSuffix("xx"), let digit = text.first?.wholeNumberValue,
                (1...5).contains(digit)
            {
                return digit * 100...digit * 100 + 99
            }
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            if (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
                first >= 100, last <= 599, first <= last
            {
                return first...last
            }
            context.report(
                .invalidValue, at: source.location, "`\(text)` is not a status code",
                advice: "write a code such as 404, a class such as 5xx, or a range such as 500-504")
            return nil
        },
        write: { codes in
            if codes.count == 1 { return .integer(codes.lowerBound) }
            if codes.count == 100, codes.lowerBound % 100 == 0 {
                return .text("\(codes.lowerBound / 100)xx")
            }
            return .text("\(codes.lowerBound)-\(codes.upperBound)")
        })
}
