// SPDX-License-Identifier: Apache-2.0

/// The configuration of a store, which is read when the store is opened.
public struct StoreConfiguration: Sendable {
    /// The maximum time to wait for the lock of another connection.
    public var busyTimeout: Duration
    /// The maximum number of concurrent reader connections.
    public var maximumReaderCount: Int

    /// Creates a configuration.
    public init(busyTimeout: Duration = .seconds(5), maximumReaderCount: Int = 4) {
        self.busyTimeout = busyTimeout
        self.maximumReaderCount = maximumReaderCount
    }
}
