// SPDX-License-Identifier: Apache-2.0

/// The progress of an import, of all files or the stream of one call.
public struct ImportProgress: Sendable, Hashable {
    /// The name of the current file or stream.
    public let source: String
    /// The number of elements so far, including those that an interrupted import had saved.
    public let elementCount: Int
    /// The number of bytes so far, including those of these elements.
    public let byteCount: Int
    /// The number of bytes of all files; `nil` if it is unknown, as for a stream.
    public let totalByteCount: Int?
    /// The number of elements that an interrupted import had saved.
    public let resumedElementCount: Int
    /// The number of bytes that an interrupted import had saved.
    public let resumedByteCount: Int
    /// The time since the beginning of the call.
    public let elapsed: Duration

    init(
        source: String, elementCount: Int, byteCount: Int, totalByteCount: Int?,
        resumedElementCount: Int = 0, resumedByteCount: Int = 0, elapsed: Duration
    ) {
        self.source = source
        self.elementCount = elementCount
        self.byteCount = byteCount
        self.totalByteCount = totalByteCount
        self.resumedElementCount = resumedElementCount
        self.resumedByteCount = resumedByteCount
        self.elapsed = elapsed
    }

    /// The number of elements imported in a second; 0 if no time has passed.
    public var elementsPerSecond: Double { rate(elementCount - resumedElementCount) }

    /// The number of bytes imported in a second; 0 if no time has passed.
    public var bytesPerSecond: Double { rate(byteCount - resumedByteCount) }

    /// The completed part, from 0 to 1; `nil` if the total is unknown.
    public var fraction: Double? {
        totalByteCount.map { $0 == 0 ? 1 : min(Double(byteCount) / Double($0), 1) }
    }

    /// The estimated time to the end, at the rate so far; `nil` if the total or the rate is unknown.
    public var remaining: Duration? {
        guard let totalByteCount, bytesPerSecond > 0 else { return nil }
        return .seconds(Double(max(totalByteCount - byteCount, 0)) / bytesPerSecond)
    }

    private func rate(_ count: Int) -> Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Double(count) / seconds : 0
    }
}
