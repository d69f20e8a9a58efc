// SPDX-License-Identifier: Apache-2.0

import CCurl

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The sockets and the time that libcurl waits for.
///
/// libcurl, left to itself, looks at every connection whenever it runs. Told which of them have
/// something for it, it looks at those.
///
/// Invariant: confined to the driver thread. libcurl has its address from ``watch(_:)`` to the end
/// of the handle, and the loop keeps it for that long.
@safe final class SocketWatch {
    /// A socket that is ready, and for what, in libcurl's bits.
    struct Event {
        let socket: curl_socket_t
        let readiness: Int32
    }

    // The wake pipe first.
    private var watched: [pollfd]
    // By descriptor, where in `watched` it is; 0 where it is not.
    private var positions: [Int] = []
    private let wakePipe: WakePipe

    /// When libcurl wants to run even if no socket is ready.
    private(set) var deadline: ContinuousClock.Instant?

    /// Opens the pipe that others wake the thread by.
    init?(_ wakePipe: WakePipe) {
        guard let end = wakePipe.open() else { return nil }
        self.wakePipe = wakePipe
        watched = [pollfd(fd: end, events: Int16(POLLIN), revents: 0)]
    }

    /// Lets libcurl say what it waits for.
    func watch(_ multi: UnsafeMutableRawPointer) {
        let address = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_multi_set_watch(multi, socketHasChanged, timeHasChanged, address)
    }

    /// Waits until a socket is ready, somebody wakes the thread, or the time is over.
    ///
    /// - Parameters:
    ///   - milliseconds: The time; 0 to look without waiting.
    ///   - events: Gets the sockets that are ready.
    func wait(milliseconds: Int32, into events: inout [Event]) {
        events.removeAll(keepingCapacity: true)
        var left = unsafe poll(&watched, nfds_t(watched.count), milliseconds)
        if left > 0, watched[0].revents != 0 {
            wakePipe.drain()
            left -= 1
        }
        var position = 1
        while left > 0, position < watched.count {
            let state = Int32(watched[position].revents)
            if state != 0 {
                left -= 1
                var readiness: Int32 = 0
                if state & (POLLIN | POLLHUP) != 0 { readiness |= CURL_CSELECT_IN }
                if state & POLLOUT != 0 { readiness |= CURL_CSELECT_OUT }
                if state & (POLLERR | POLLNVAL) != 0 { readiness |= CURL_CSELECT_ERR }
                events.append(Event(socket: watched[position].fd, readiness: readiness))
            }
            position += 1
        }
    }

    /// Whether the deadline has come; it is over then.
    func takeDeadline(at now: ContinuousClock.Instant) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = nil
        return true
    }

    fileprivate func setDeadline(milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    fileprivate func setWatched(_ socket: curl_socket_t, _ wish: Int32) {
        let index = Int(socket)
        if index >= positions.count {
            positions += Array(repeating: 0, count: index + 1 - positions.count)
        }
        let position = positions[index]
        if wish == CURL_POLL_REMOVE || wish == CURL_POLL_NONE {
            guard position > 0 else { return }
            let last = watched.removeLast()
            if position < watched.count {
                watched[position] = last
                positions[Int(last.fd)] = position
            }
            positions[index] = 0
            return
        }
        var events: Int32 = 0
        if wish != CURL_POLL_OUT { events |= POLLIN }
        if wish != CURL_POLL_IN { events |= POLLOUT }
        if position > 0 {
            watched[position].events = Int16(events)
        } else {
            positions[index] = watched.count
            watched.append(pollfd(fd: socket, events: Int16(events), revents: 0))
        }
    }
}

// MARK: What libcurl calls, on the driver thread

// Invariant: `address` is the one of the watch that the handle was given, and is alive.

private func socketHasChanged(
    _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ wish: Int32,
    _ address: UnsafeMutableRawPointer?, _ own: UnsafeMutableRawPointer?
) -> Int32 {
    if let address = unsafe address {
        unsafe Unmanaged<SocketWatch>.fromOpaque(address).takeUnretainedValue()
            .setWatched(socket, wish)
    }
    return 0
}

private func timeHasChanged(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ address: UnsafeMutableRawPointer?
) -> Int32 {
    if let address = unsafe address {
        unsafe Unmanaged<SocketWatch>.fromOpaque(address).takeUnretainedValue()
            .setDeadline(milliseconds: milliseconds)
    }
    return 0
}
