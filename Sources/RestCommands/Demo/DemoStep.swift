// SPDX-License-Identifier: Apache-2.0

#if Macros && Persistence
/// One part of the demonstration.
///
/// A step does something with the session and throws if the result is not what it has to be. To
/// show more, write a step beside the others and add it to ``all``.
struct DemoStep: Sendable {
    /// What a step did.
    struct Outcome: Sendable {
        var changes = RowChanges()
        /// In a few words, safe to show.
        var summary: String
        /// Lines to show below, safe to show.
        var details: [String] = []
    }

    /// One word, for programs too.
    let name: String
    /// Does it.
    let run: @Sendable (DemoSession) async throws -> Outcome

    init(
        _ name: String, run: @escaping @Sendable (DemoSession) async throws -> Outcome
    ) {
        self.name = name
        self.run = run
    }

    /// The steps in their order.
    static let all: [DemoStep] = [
        .airports, .terminals, .flights, .relations, .largestAirports, .longestFlights, .again,
        .rows,
    ]
}
#endif
