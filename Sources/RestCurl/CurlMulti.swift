// SPDX-License-Identifier: Apache-2.0

import CCurl
import Synchronization

/// A multi handle, with which libcurl runs many transfers and keeps their connections.
///
/// Invariant for `@unchecked Sendable`: only the driver thread reads `handle` without the lock, and
/// only it writes `handle`, under the lock. Other threads only call `curl_multi_wakeup`, under the
/// lock, which libcurl allows while the handle is open.
@safe final class CurlMulti: @unchecked Sendable {
    private let lock = Mutex(())
    private(set) var handle: UnsafeMutableRawPointer?

    private static let globalSetup: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Creates the handle, on the driver thread.
    func open(_ configuration: CurlTransport.Configuration) {
        guard Self.globalSetup == CURLE_OK, let multi = unsafe curl_multi_init() else { return }
        let perHost = configuration.connectionsPerHost
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
        let total = configuration.connectionCount
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, total)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, total)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        lock.withLock { _ in unsafe handle = multi }
    }

    /// Interrupts the wait of the driver thread, from any thread.
    func wake() {
        lock.withLock { _ in
            if let handle = unsafe handle {
                unsafe curl_multi_wakeup(handle)
            }
        }
    }

    /// Closes all connections and the handle, on the driver thread, when no transfer is left.
    func close() {
        lock.withLock { _ in
            if let handle = unsafe handle {
                unsafe curl_multi_cleanup(handle)
            }
            unsafe handle = nil
        }
    }
}
