// SPDX-License-Identifier: Apache-2.0

/// How a store treats its file; read once when it opens.
public struct StoreConfiguration: Sendable {
    /// How long to wait for another connection's lock, wall-clock.
    public var busyTimeout: Duration
    /// Most connections that read at a time.
    public var maximumReaderCount: Int

    /// Makes a configuration.
    public init(busyTimeout: Duration = .seconds(5), maximumReaderCount: Int = 4) {
        self.busyTimeout = busyTimeout
        self.maximumReaderCount = maximumReaderCount
    }
}
