// SPDX-License-Identifier: Apache-2.0

#if Macros
/// One part of the demonstration.
///
/// A step uses the session and throws if its result differs from the expected one. New steps are
/// added to ``all``.
struct DemoStep: Sendable {
    /// The result of a step.
    struct Outcome: Sendable {
        var changes = RowChanges()
        /// A short description, escaped for a terminal.
        var summary: String
        /// Further lines, escaped for a terminal.
        var details: [String] = []
    }

    /// A one-word name, used in the JSON summary too.
    let name: String
    /// Performs the step.
    let run: @Sendable (DemoSession) async throws -> Outcome

    init(
        _ name: String, run: @escaping @Sendable (DemoSession) async throws -> Outcome
    ) {
        self.name = name
        self.run = run
    }

    /// The steps in the order in which they run.
    static let all: [DemoStep] = [
        .mirror, .airports, .terminals, .flights, .notices, .relations, .largestAirports,
        .longestFlights, .search, .creation, .offline, .sending, .refusal, .killing, .elsewhere,
        .outbox, .deletion, .validation, .again, .rows,
    ]
}
#endif
