// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A command of a task to the driver thread.
enum CurlCommand {
    case start(CurlExchange)
    case resumeReceiving(CurlExchange)
    case resumeSending(CurlExchange)
    case collect(CurlExchange)
    case cancel(CurlExchange)
}

/// The command queue and the lifecycle of the driver thread.
///
/// Tasks append commands to a queue, which the thread empties in one step. The thread is woken only
/// when it sleeps, so under load a request costs no wake-up.
final class CurlDriver: Sendable {
    private enum Lifecycle {
        case idle
        case running
        case closing
        case closed
    }

    private struct Inbox {
        var lifecycle = Lifecycle.idle
        var isAsleep = false
        var commands: [CurlCommand] = []
        var shutdownContinuations: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: CurlTransport.Configuration
    private let inbox = Mutex(Inbox())
    private let multi = CurlMulti()

    init(configuration: CurlTransport.Configuration) {
        self.configuration = configuration
    }

    func submit(_ command: CurlCommand) {
        var mustStart = false
        var mustWake = false
        let isAccepted = inbox.withLock { inbox in
            switch inbox.lifecycle {
            case .closing, .closed: return false
            case .idle:
                inbox.lifecycle = .running
                mustStart = true
            case .running: break
            }
            inbox.commands.append(command)
            mustWake = inbox.isAsleep
            inbox.isAsleep = false
            return true
        }
        if mustStart {
            startThread()
        } else if mustWake {
            multi.wake()
        } else if !isAccepted, case .start(let exchange) = command {
            exchange.pipe.fail(Self.closed(exchange.request), keepsBody: false)
        }
    }

    /// Signals the thread to end, without waiting for it.
    func close() {
        let mustWake = inbox.withLock { inbox in
            let wasRunning = inbox.lifecycle == .running
            inbox.lifecycle =
                wasRunning ? .closing : inbox.lifecycle == .idle ? .closed : inbox.lifecycle
            let wasAsleep = inbox.isAsleep
            inbox.isAsleep = false
            return wasRunning && wasAsleep
        }
        if mustWake { multi.wake() }
    }

    /// Signals the thread to end and waits until it has released all of its resources.
    func shutdown() async {
        await withCheckedContinuation { continuation in
            close()
            let isClosed = inbox.withLock { inbox in
                if inbox.lifecycle != .closed { inbox.shutdownContinuations.append(continuation) }
                return inbox.lifecycle == .closed
            }
            if isClosed { continuation.resume() }
        }
    }

    static func closed(_ request: TransportRequest) -> TransportError {
        TransportError(
            .closed, stage: .preparing, request: request, reason: "the transport was shut down")
    }

    // MARK: The thread

    private func startThread() {
        // Invariant: the reference behind `argument` is released once, by the thread, or here if no
        // thread can be created. `attributes` are used between initialization and destruction.
        let argument = unsafe Unmanaged.passRetained(self).toOpaque()
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, 1 << 20)
        defer { unsafe pthread_attr_destroy(&attributes) }
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let result = unsafe pthread_create(&thread, &attributes, runCurlDriver, argument)
        if result != 0 {
            unsafe Unmanaged<CurlDriver>.fromOpaque(argument).release()
            end(.connectionFailed, reason: "no thread can be created (error \(result))")
        }
    }

    fileprivate func run() {
        raiseTrimThreshold()
        let loop = CurlLoop(multi: multi, configuration: configuration)
        var commands: [CurlCommand] = []
        while takeCommands(into: &commands) {
            loop.step(commands)
            commands.removeAll(keepingCapacity: true)
            if maySleep() {
                loop.wait()
                inbox.withLock { $0.isAsleep = false }
            }
        }
        loop.close()
        multi.close()
        end(.closed, reason: "the transport was shut down")
    }

    /// Raises the threshold above which glibc returns freed memory to the system, to 32 MiB.
    ///
    /// By default glibc returns memory to the system as soon as twice the largest block freed so far
    /// is unused. With bodies of a megabyte that happens all the time, and the page faults that
    /// follow cost more than the transfer.
    private func raiseTrimThreshold() {
        #if canImport(Glibc)
        let block = UnsafeMutableRawPointer.allocate(byteCount: 16 << 20, alignment: 16)
        unsafe block.deallocate()
        #endif
    }

    private func takeCommands(into commands: inout [CurlCommand]) -> Bool {
        inbox.withLock { inbox in
            swap(&commands, &inbox.commands)
            return inbox.lifecycle == .running || !commands.isEmpty
        }
    }

    private func maySleep() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = inbox.commands.isEmpty && inbox.lifecycle == .running
            return inbox.isAsleep
        }
    }

    private func end(_ code: TransportError.Code, reason: String) {
        let (commands, continuations) = inbox.withLock { inbox in
            inbox.lifecycle = .closed
            defer {
                inbox.commands = []
                inbox.shutdownContinuations = []
            }
            return (inbox.commands, inbox.shutdownContinuations)
        }
        for case .start(let exchange) in commands {
            let error = TransportError(
                code, stage: .preparing, request: exchange.request, reason: reason)
            exchange.pipe.fail(error, keepsBody: false)
        }
        for continuation in continuations {
            continuation.resume()
        }
    }
}

#if canImport(Darwin)
private func runCurlDriver(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe Unmanaged<CurlDriver>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
#else
private func runCurlDriver(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument = unsafe argument {
        unsafe Unmanaged<CurlDriver>.fromOpaque(argument).takeRetainedValue().run()
    }
    return nil
}
#endif
