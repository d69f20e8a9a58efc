// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The rule for reading only the records that changed since the last run.
public struct CursorDefinition: Sendable, Equatable {
    /// The source of the position that a run reached.
    public enum Source: Sendable, Equatable {
        /// The largest value of a member of the records.
        case field(DocumentPath)
        /// The time of the first request of the run, by the clock of the server.
        case requestTime
    }

    /// The form of the position in a request.
    public enum Format: Sendable, Equatable {
        /// The text or number as the server wrote it.
        case verbatim
        /// A date of ISO 8601 in UTC with seconds, such as `2024-05-01T12:00:00Z`.
        case iso8601
        /// A day, such as `2024-05-01`.
        case day
        /// The number of seconds since 1970.
        case unixSeconds
        /// The number of milliseconds since 1970.
        case unixMilliseconds
        /// An integer that is no date.
        case integer
        /// A date pattern, such as `yyyy/MM/dd HH:mm:ss`.
        case pattern(String)
    }

    /// A distance between positions.
    public enum Distance: Sendable, Equatable {
        /// A duration between dates.
        case duration(Duration)
        /// A difference between integers.
        case count(Int64)
    }

    /// The order of the list by the cursor.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// An order that a walk cannot rely on.
        case none
        /// The oldest first.
        case ascending
        /// The newest first; a walk ends at the position of the last run.
        case descending
    }

    /// The source of the position.
    public var source: Source
    /// The parameter with the start of the interval; `nil` to select records after reading them.
    public var parameter: String?
    /// The parameter with the end of the interval; `nil` for none.
    public var endParameter: String?
    /// The place of the parameters.
    public var placement: PaginationDefinition.Placement
    /// The form of the position in a request.
    public var format: Format
    /// The position of the first run; `nil` to read everything.
    public var initialValue: ScalarValue?
    /// The distance by which a run starts before the position of the last one.
    public var lookback: Distance?
    /// The length of the intervals into which a run is divided.
    public var step: Distance?
    /// The time for which the API keeps changes; after a longer pause, everything is read.
    public var retention: Duration?
    /// The order of the list.
    public var order: Order
    /// A Boolean value that indicates whether each parent has a position of its own.
    public var isPerParent: Bool

    /// Creates a rule.
    public init(
        _ source: Source, parameter: String? = nil, endParameter: String? = nil,
        placement: PaginationDefinition.Placement = .query, format: Format = .verbatim,
        initialValue: ScalarValue? = nil, lookback: Distance? = nil, step: Distance? = nil,
        retention: Duration? = nil, order: Order = .none, isPerParent: Bool = true
    ) {
        self.source = source
        self.parameter = parameter
        self.endParameter = endParameter
        self.placement = placement
        self.format = format
        self.initialValue = initialValue
        self.lookback = lookback
        self.step = step
        self.retention = retention
        self.order = order
        self.isPerParent = isPerParent
    }
}
