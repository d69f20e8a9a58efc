// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

/// What the driver thread does: starts transfers, lets libcurl work, hands over what came.
///
/// Invariant: confined to the driver thread, with all its transfers. `multi` lives until after
/// ``close()``, as the driver closes it then. Every handle in it belongs to a transfer in `active`.
@safe final class CurlLoop {
    private let multi: UnsafeMutableRawPointer?
    private let configuration: CurlTransport.Configuration
    private var active: [CurlTransfer] = []
    private var spare: [CurlTransfer] = []
    private var touched: [CurlTransfer] = []
    private var nextSweep: ExchangeMoment?

    /// The time at which the present step began.
    private(set) var now = ExchangeMoment.now

    init(multi: CurlMulti, configuration: CurlTransport.Configuration) {
        self.configuration = configuration
        multi.open(configuration)
        unsafe self.multi = multi.handle
    }

    /// Does all that can be done without waiting.
    func step(_ commands: [CurlCommand]) {
        now = .now
        for command in commands {
            switch command {
            case .start(let exchange): start(exchange)
            case .resumeReceiving(let exchange): unsafe exchange.transfer?.resumeReceiving()
            case .resumeSending(let exchange): unsafe exchange.transfer?.resumeSending()
            case .gather(let exchange): unsafe exchange.transfer?.gather()
            case .cancel(let exchange):
                if let transfer = unsafe exchange.transfer { remove(transfer) }
            }
        }
        guard let multi = unsafe multi else { return }
        var runningCount: Int32 = 0
        unsafe curl_multi_perform(multi, &runningCount)
        finishTransfers()
        handOver()
        if let nextSweep, nextSweep <= now { sweep() }
    }

    /// Waits until a connection, a timer or a task has something to do.
    func wait() {
        guard let multi = unsafe multi else { return }
        let longest = Duration.seconds(60)
        let time = max(.zero, min(nextSweep.map { $0 - now } ?? longest, longest))
        unsafe curl_multi_poll(multi, nil, 0, Int32(time / .milliseconds(1)) + 1, nil)
    }

    /// Ends all transfers and lets go of all handles.
    func close() {
        for transfer in active {
            if let exchange = transfer.exchange {
                exchange.pipe.fail(CurlDriver.closed(exchange.request), keepsBody: false)
            }
            remove(transfer)
        }
        for transfer in spare {
            transfer.close()
        }
        spare = []
    }

    func touch(_ transfer: CurlTransfer) {
        touched.append(transfer)
    }

    // MARK: Life of a transfer

    private func start(_ exchange: CurlExchange) {
        guard exchange.pipe.isWanted else { return }
        guard let multi = unsafe multi,
            let transfer = spare.popLast() ?? CurlTransfer(loop: self, configuration: configuration)
        else {
            let error = TransportError(
                .connectionFailed, stage: .preparing, request: exchange.request,
                reason: "libcurl gives no handle, or cannot do what the TLS configuration says")
            exchange.pipe.fail(error, keepsBody: false)
            return
        }
        transfer.begin(exchange)
        transfer.position = active.count
        active.append(transfer)
        if let deadline = transfer.earliestDeadline {
            nextSweep = min(nextSweep ?? deadline, deadline)
        }
        unsafe curl_multi_add_handle(multi, transfer.easy)
    }

    /// Takes a transfer out; libcurl closes its connection when the response is not complete.
    func remove(_ transfer: CurlTransfer) {
        if let multi = unsafe multi {
            unsafe curl_multi_remove_handle(multi, transfer.easy)
        }
        let last = active.removeLast()
        if last !== transfer {
            active[transfer.position] = last
            last.position = transfer.position
        }
        transfer.end()
        if spare.count < configuration.connectionCount {
            spare.append(transfer)
        } else {
            transfer.close()
        }
    }

    private func finishTransfers() {
        guard let multi = unsafe multi else { return }
        var result = CURLE_OK
        while let easy = unsafe ccurl_multi_next_finished(multi, &result) {
            let transfer = unsafe CurlTransfer.of(easy)
            transfer.finish(result)
            remove(transfer)
        }
    }

    private func handOver() {
        // Resuming a paused transfer may touch it again.
        while let transfer = touched.popLast() {
            transfer.handOver()
        }
    }

    private func sweep() {
        nextSweep = nil
        for transfer in active {
            if let error = transfer.expiry {
                transfer.exchange?.pipe.fail(error, keepsBody: false)
                remove(transfer)
            } else if let deadline = transfer.earliestDeadline {
                nextSweep = min(nextSweep ?? deadline, deadline)
            }
        }
    }
}
