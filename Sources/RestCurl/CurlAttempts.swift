// SPDX-License-Identifier: Apache-2.0

/// The attempts of libcurl to send one request, each over a connection that is ready.
///
/// libcurl repeats a request of any method if a kept connection ends before a byte of the response, even
/// if it has sent the header, and up to five times. The transport decides instead, when the connection
/// for another attempt is ready and nothing has been sent over it.
struct CurlAttempts {
    /// A Boolean value that indicates whether the request may be sent a second time.
    let mayRepeat: Bool

    private var count = 0

    /// A Boolean value that indicates whether libcurl chose a connection that must not be used, so that
    /// the transfer has to start again.
    private(set) var needsOtherConnection = false

    /// A Boolean value that indicates whether the next connection must be a new one.
    private(set) var needsNewConnection = false

    /// A Boolean value that indicates whether libcurl has repeated nothing with this handle.
    ///
    /// libcurl 7.88 counts the repetitions of all transfers of a handle, and fails at the sixth.
    var isSingle: Bool { count == 1 && !needsNewConnection }

    init(mayRepeat: Bool) {
        self.mayRepeat = mayRepeat
    }

    /// A Boolean value that indicates whether the request may be sent now.
    var mayBegin: Bool { count == 0 || mayRepeat && count == 1 }

    /// Notes that the request is sent.
    mutating func begin() {
        count += 1
    }

    /// Notes that a connection must not be used.
    ///
    /// - Parameter isShared: Whether libcurl may keep it, because other exchanges use it at the same
    ///   time, and would choose it again.
    mutating func avoidConnection(isShared: Bool) {
        needsOtherConnection = true
        if isShared { needsNewConnection = true }
    }

    /// Starts again with another connection.
    mutating func restart() {
        needsOtherConnection = false
    }
}
