// SPDX-License-Identifier: Apache-2.0

/// The limits of the number and the rate of requests.
///
/// `Retry-After` is obeyed without a declaration.
public struct BudgetDefinition: Sendable, Equatable {
    /// A maximum number of requests in a moving window.
    public struct Window: Sendable, Equatable {
        /// The number of requests.
        public var requestCount: Int
        /// The length of the window.
        public var duration: Duration

        /// Creates a window.
        public init(requestCount: Int, per duration: Duration) {
            self.requestCount = requestCount
            self.duration = duration
        }
    }

    /// The meaning of the value of the header field with the end of a window.
    public enum ResetFormat: String, Sendable, Hashable, CaseIterable {
        /// The number of seconds until the end.
        case seconds
        /// The number of seconds since 1970.
        case unix
        /// A date as in RFC 9110 or RFC 3339.
        case date
    }

    /// The windows, all of which apply.
    public var windows: [Window]
    /// The name of the header field with the number of remaining requests.
    public var remainingField: String?
    /// The name of the header field with the end of the window.
    public var resetField: String?
    /// The meaning of the value of `resetField`.
    public var resetFormat: ResetFormat
    /// The maximum number of requests at the same time; `nil` for the default of the runner.
    public var parallelRequestCount: Int?
    /// The name of a budget that the mirrors of a process share; `nil` for the host of the base URL.
    public var sharedName: String?
    /// The number of requests of a run above which the user must consent; `nil` for none.
    public var ceiling: Int?
    /// The longest wait for a server or a window, after which a resource is incomplete.
    public var maximumWait: Duration?

    /// Creates limits.
    public init(
        windows: [Window] = [], remainingField: String? = nil, resetField: String? = nil,
        resetFormat: ResetFormat = .unix, parallelRequestCount: Int? = nil,
        sharedName: String? = nil, ceiling: Int? = nil, maximumWait: Duration? = nil
    ) {
        self.windows = windows
        self.remainingField = remainingField
        self.resetField = resetField
        self.resetFormat = resetFormat
        self.parallelRequestCount = parallelRequestCount
        self.sharedName = sharedName
        self.ceiling = ceiling
        self.maximumWait = maximumWait
    }
}
