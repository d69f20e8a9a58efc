// SPDX-License-Identifier: Apache-2.0

import CCurl

/// The handle under which libcurl drives many transfers and keeps their connections.
///
/// Invariant: confined to the driver thread; `handle` and `watch` live until ``close()``, which is
/// called when no transfer is left.
@safe final class CurlMulti {
    let handle: UnsafeMutableRawPointer
    private let watch: SocketWatch
    private var ready: [SocketWatch.Event] = []

    private static let globalSetup: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Makes the handle; there is none when libcurl or the system gives none.
    init?(_ configuration: CurlTransport.Configuration, wakePipe: WakePipe) {
        guard Self.globalSetup == CURLE_OK, let watch = SocketWatch(wakePipe) else { return nil }
        guard let multi = unsafe curl_multi_init() else {
            wakePipe.close()
            return nil
        }
        unsafe handle = multi
        self.watch = watch
        let perHost = configuration.connectionsPerHost
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
        let total = configuration.connectionCount
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, total)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, total)
        unsafe ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        unsafe watch.watch(multi)
    }

    /// Waits for something to do, not longer than a limit and not at all when libcurl wants to run.
    func wait(atMost limit: Duration) {
        var time = limit
        if let deadline = watch.deadline { time = min(time, deadline - .now) }
        let milliseconds = (time / .milliseconds(1)).rounded(.up)
        watch.wait(milliseconds: Int32(max(0, milliseconds)), into: &ready)
    }

    /// Lets libcurl work on what is ready.
    func run() {
        var runningCount: Int32 = 0
        if watch.takeDeadline(at: .now) {
            unsafe curl_multi_socket_action(handle, CURL_SOCKET_TIMEOUT, 0, &runningCount)
        }
        for event in ready {
            unsafe curl_multi_socket_action(
                handle, event.socket, event.readiness, &runningCount)
        }
        ready.removeAll(keepingCapacity: true)
    }

    /// Closes all connections and the handle.
    func close() {
        unsafe curl_multi_cleanup(handle)
    }
}
