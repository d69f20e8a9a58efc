// SPDX-License-Identifier: Apache-2.0

/// The number of requests that a run may send, and the consent to more.
///
/// ```swift
/// let summary = try await mirror.run(limit: RequestLimit(1_000) { count in await confirm(count) })
/// ```
///
/// Without consent the run ends at the limit, and the next one continues it.
public struct RequestLimit: Sendable {
    /// The number of requests, further attempts included; `nil` for no limit.
    public var count: Int?
    /// Returns a Boolean value that indicates whether the run may send more, given the number of requests so far.
    public var consent: (@Sendable (Int) async -> Bool)?

    /// The absence of a limit.
    public static let none = RequestLimit(nil)

    /// Creates a limit.
    public init(_ count: Int?, consent: (@Sendable (Int) async -> Bool)? = nil) {
        self.count = count
        self.consent = consent
    }
}

/// The requests that a run may still send.
///
/// An actor, so that lists that are read at the same time take from one number and cause one question.
actor RequestAllowance {
    private let limit: RequestLimit
    private var answer: Task<Bool, Never>?
    /// The number of requests so far.
    private(set) var count = 0

    init(_ limit: RequestLimit) { self.limit = limit }

    /// Takes a request.
    ///
    /// - Throws: ``MirrorError`` with code `ceilingReached`.
    func take() async throws(MirrorError) {
        guard let maximum = limit.count, count >= maximum else {
            count += 1
            return
        }
        guard await hasConsent() else {
            throw MirrorError(
                .ceilingReached,
                details: [
                    "the run has sent \(maximum) requests, which is its ceiling; run it again to continue, "
                        + "or raise the ceiling"
                ])
        }
        count += 1
    }

    private func hasConsent() async -> Bool {
        if let answer { return await answer.value }
        guard let consent = limit.consent else { return false }
        let count = count
        let question = Task { await consent(count) }
        answer = question
        return await question.value
    }
}
