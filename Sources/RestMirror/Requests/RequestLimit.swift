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

/// The requests that operations may still send together, such as the completion of a definition and its run.
///
/// ```swift
/// let allowance = RequestAllowance(RequestLimit(1_000))
/// let completed = try await DefinitionCompletion(
///     of: definition, over: transport, allowance: allowance
/// ).completed(for: file)
/// let mirror = try await APIMirror(completed, at: file, completing: definition, over: transport)
/// let summary = try await mirror.run(within: allowance)
/// ```
///
/// An actor, so that lists that are read at the same time take from one number and cause one question.
public actor RequestAllowance {
    private let limit: RequestLimit
    private var answer: Task<Bool, Never>?
    /// The number of requests so far, further attempts included.
    public private(set) var count = 0

    /// Creates an allowance of which nothing has been taken.
    public init(_ limit: RequestLimit) { self.limit = limit }

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
        guard let consent = limit.consent else { return false }
        let count = count
        let question = answer ?? Task { await consent(count) }
        answer = question
        return await withTaskCancellationHandler {
            await question.value
        } onCancel: {
            question.cancel()
        }
    }
}
